"""A profile, a plot and a slice: python3 first.py run.tarmac prog.elf fibonacci"""

import sys

import matplotlib.pyplot as plt
import trawl

t = trawl.open(sys.argv[1], images=[sys.argv[2]])
print(t.profile(top=5))
sp = t.values("sp").read("event", "value")
plt.step(sp["event"], sp["value"], where="post")
plt.xlabel("event"), plt.ylabel("sp")
plt.savefig("sp.svg")
print(t.origin("x0", at=f"pc:{sys.argv[3]}#3", all=True, by="function"))
