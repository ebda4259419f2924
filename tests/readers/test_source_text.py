"""Which source file is shown: the one that the image means, never another with the same name."""

import json
import re

import pytest
import quick
from compilers import ROOT

TRACE, IMAGE = ROOT / "corpus/traces/conditional-t32.it.tarmac", ROOT / "corpus/elf/conditional-t32.elf"
NAMED = "corpus/programs/conditional.c"  # in the image, as compiled in "."


@pytest.fixture
def shown(trawl, place):
    """The first word of the files that annotate shows for main, after writing files that consist of one word."""

    def shown(*words, files=(), image=IMAGE):
        for name in files:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name}\n" * 500)
        (place / "cwd").mkdir(exist_ok=True)
        done = quick.run([trawl, "annotate", TRACE, "--image", image, "--function", "main", "--format", "json", *words], cwd=place / "cwd")
        assert done.returncode == 0, done.stderr
        (function,) = json.loads(done.stdout)["functions"]
        texts = {line["text"] for line in function["lines"]}
        assert len(texts) == 1
        return texts.pop()

    return shown


def test_nowhere(shown):
    assert shown() is None
    assert shown("--source", "../no") is None


def test_as_named_before_others(shown):
    assert shown("--source", "../a", files=[f"cwd/{NAMED}", f"a/{NAMED}"]) == f"cwd/{NAMED}"


def test_longest_end_of_the_path(shown):
    files = ["a/conditional.c", "b/programs/conditional.c"]
    assert shown("--source", "../a", "--source", "../b", files=files) == files[1]
    assert shown("--source", "../a", "--source", "../b/programs") == files[1]
    assert shown("--source", "../a") == files[0]


def test_name_alone_only_where_unique(shown):
    files = ["a/conditional.c", "b/conditional.c"]
    assert shown("--source", "../a", "--source", "../b", files=files) is None
    assert shown("--source", "../a", "--source", "../a") == files[0]
    assert shown("--source", "../b") == files[1]


def test_name_alone_of_two_files_of_the_images(shown, place):
    other = IMAGE.read_bytes().replace(b"corpus/programs", b"corpus/programz")
    (place / "other.elf").write_bytes(other)
    files = ["a/conditional.c", "b/programs/conditional.c"]
    both = ["--image", f"{place}/other.elf@0x10000000"]
    assert shown("--source", "../a", *both, files=files) is None
    assert shown("--source", "../b", *both) == files[1]


def test_map(shown):
    files = ["m/conditional.c", f"cwd/{NAMED}"]
    assert shown("--source-map", "corpus/programs=../m", files=files) == files[0]
    assert shown("--source-map", "corpus/program=../m") == files[1]
    assert shown("--source-map", "corpus=../no") == files[1]


@pytest.fixture
def covered(trawl, place):
    """The file of main in each format of coverage, which must agree where `agree`."""

    def covered(*words, image=IMAGE, agree=True):
        found = []
        for format in ("lcov", "cobertura", "json"):
            done = quick.run([trawl, "coverage", TRACE, "--image", image, "--format", format, *(["--by", "file"] if format == "json" else []), *words], cwd=place / "cwd")
            assert done.returncode == 0, done.stderr
            text = done.stdout.decode()
            names = [row["file"] for row in json.loads(text)] if format == "json" else re.findall('^SF:(.*)$| filename="([^"]*)"', text, re.MULTILINE)
            names = [name if format == "json" else "".join(name) for name in names]
            assert len(names) == len(set(names))
            found += [name for name in names if name.endswith("conditional.c")]
        lcov, cobertura, json_ = found
        assert lcov == cobertura and (not agree or json_ == lcov)
        return lcov

    return covered


def test_coverage_as_annotate(shown, covered, place):
    """The paths that coverage writes are those of the files that annotate shows; of others, those of the image."""
    shown()
    image_path = covered()
    assert image_path.endswith(NAMED) and not image_path.startswith("/")
    files = ["a/conditional.c", "b/programs/conditional.c", "m/conditional.c"]
    for words in (["--source", "../a", "--source", "../b"], ["--source", "../a"], ["--source-map", "corpus/programs=../m"],
                  ["--source-map", "corpus/programs=../m/", "--source", "../b"]):  # fmt: skip
        shows = shown(*words, files=files)
        assert covered(*words) == f"../{shows}"
    assert covered("--source", "../a", "--source", "../m") == image_path
    assert covered("--source-map", "corpus=/far/away") == "/far/away/programs/conditional.c"
    assert covered("--source-map", "corpus=.", "--source-map", "corpus=/far/away") == "programs/conditional.c"
    assert covered("--source-map", f"corpus/program={place}") == image_path
    assert shown(files=[f"cwd/{NAMED}"]) == f"cwd/{NAMED}" and covered() == image_path


def test_coverage_in_the_directory_of_compilation(shown, covered, place):
    """A file that is only where it was compiled is written so; a table has the path of the image. Of equal paths, each has its own file."""
    shown()
    image = place / "moved.elf"
    image.write_bytes(IMAGE.read_bytes().replace(b"\0.\0", b"\0d\0"))
    files = [f"cwd/d/{NAMED}"]
    assert covered(image=image).endswith(NAMED) and not covered(image=image).startswith("d/")
    assert shown(image=image, files=files) == files[0]
    assert covered(image=image, agree=False) == f"d/{NAMED}"
    assert covered("--source-map", "nothing=x", image=image) == f"d/{NAMED}"
    assert covered("--source-map", "d=../e", image=image) == f"d/{NAMED}"
    assert shown("--source-map", "d=../e", image=image, files=[f"e/{NAMED}"]) == f"e/{NAMED}"
    assert covered("--source-map", "d=../e", image=image) == f"../e/{NAMED}"


def test_map_without_equals(trawl):
    done = quick.run([trawl, "annotate", TRACE, "--image", IMAGE, "--source-map", "corpus"])
    assert done.returncode == 2 and b"FROM=TO" in done.stderr
