# Commands for a GDB without Python; commands.py replaces them by better ones.
define trawl-goto
  monitor goto $arg0
  maintenance flush register-cache
  maintenance flush dcache
  frame
end
document trawl-goto
Go to a position of the trace: event:N, line:N, time:N, pc:ADDR, pc:ADDR#K, start or end.
end
define trawl-line
  trawl-goto line:$arg0
end
document trawl-line
Go to a line of the trace.
end
define trawl-writer
  eval "monitor writes 0x%lx:%lu", (unsigned long)&($arg0), (unsigned long)sizeof($arg0)
end
document trawl-writer
The last writes to what an expression without blanks denotes: trawl-writer jobs[2].next
end
define trawl-origin
  eval "monitor origin 0x%lx:%lu", (unsigned long)&($arg0), (unsigned long)sizeof($arg0)
end
document trawl-origin
Where the value comes from that an expression without blanks denotes: trawl-origin jobs[2].next
end
