"""The bill of materials: SPDX 2.3, with every library that the program of the Debian package is linked with, and those that the
static programs contain."""

import json
import re
import shutil
from datetime import datetime, timezone

from common import ReleaseError, epoch, run, version

LICENSES = {  # of the libraries that we link, as the copyright files of their packages say
    "libxxhash0": "BSD-2-Clause", "libelf1": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libdw1": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "liburing2": "LGPL-2.1-or-later OR MIT", "libexpat1": "MIT", "libyaml-0-2": "MIT", "libncursesw6": "MIT", "libtinfo6": "MIT",
    "zlib1g": "Zlib", "libisal2": "BSD-3-Clause", "libzstd1": "BSD-3-Clause OR GPL-2.0-only", "liblzma5": "LicenseRef-public-domain", "liblz4-1": "BSD-2-Clause",
    "libbz2-1.0": "bzip2-1.0.6", "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1", "libjemalloc-dev": "BSD-2-Clause", "libc6": "LGPL-2.1-or-later", "libiberty-dev": "LGPL-2.0-or-later",
    "libmicrohttpd12": "LGPL-2.1-or-later",
}
LOADED = ("libisal2", "liblz4-1", "libzstd1")  # by the program of the Debian package, when it needs them
IN_PROGRAM = ("libiberty-dev", "libjemalloc-dev")  # of which the program of the Debian package contains what it uses
STATIC_LICENSES = {  # of what static programs contain
    "bzip2": "bzip2-1.0.6", "compiler-rt": "MIT", "elf": "LGPL-3.0-or-later OR GPL-2.0-or-later", "expat": "MIT", "iberty": "LGPL-2.0-or-later",
    "isal": "BSD-3-Clause", "jemalloc": "BSD-2-Clause", "lz4": "BSD-2-Clause", "microhttpd": "LGPL-2.1-or-later", "musl": "MIT", "ncurses": "MIT",
    "uring": "LGPL-2.1-or-later OR MIT", "xxhash": "BSD-2-Clause", "xz": "LicenseRef-public-domain", "yaml": "MIT", "zlib": "Zlib",
    "zstd": "BSD-3-Clause OR GPL-2.0-only",
}
REFERENCES = [{"licenseId": "LicenseRef-public-domain", "extractedText": "In the public domain.", "name": "Public domain"}]


def make(program, out, sums, contained):
    """Makes OUT/trawl-VERSION.spdx.json for a program and the files of the release (name to SHA-256 and SHA-1); returns its path.
    `contained`: for each file with a static program, (name, source package, version) of the libraries that it contains."""
    date = datetime.fromtimestamp(epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    libraries = linked_packages(program)
    packages = [package("trawl", version(), "Apache-2.0")] + [package(name, number, LICENSES.get(name, "NOASSERTION")) for name, number in libraries]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", identifier("trawl"))]
    relations += [relation(identifier("trawl"), "STATIC_LINK" if name in IN_PROGRAM else "DYNAMIC_LINK", identifier(name)) for name, _ in libraries]
    for source, number, license_id in sorted({(source, number, STATIC_LICENSES.get(name, "NOASSERTION")) for found in contained.values() for name, source, number in found}):
        packages.append(package(f"source {source} {number}", number, license_id) | {"name": source})
    relations += [relation(identifier("file-" + name), "STATIC_LINK", identifier(f"source {source} {number}"))
                  for name, found in sorted(contained.items()) for _, source, number in found]
    files = [{"SPDXID": identifier("file-" + name), "fileName": f"./{name}", "copyrightText": "NOASSERTION", "licenseConcluded": "NOASSERTION",
              "checksums": [{"algorithm": "SHA256", "checksumValue": value}, {"algorithm": "SHA1", "checksumValue": sha1}]}
             for name, (value, sha1) in sorted(sums.items())]
    path = out / f"trawl-{version()}.spdx.json"
    path.write_text(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"trawl-{version()}",
        "documentNamespace": f"urn:trawl:{version()}:{epoch()}", "creationInfo": {"created": date, "creators": ["Organization: The trawl developers"]},
        "packages": packages, "files": files, "relationships": relations, "hasExtractedLicensingInfos": REFERENCES}, indent=1) + "\n")
    return path


def linked_packages(program):
    """(package, version) of each library that the program is linked with, dynamically or statically, or loads."""
    if not shutil.which("dpkg-query"):
        raise ReleaseError("no dpkg here, which knows the libraries' versions")
    paths = re.findall(r"=> (/\S+)", run(["ldd", program]))
    names = {package_of(path) for path in paths} | set(LOADED) | set(IN_PROGRAM)
    return sorted((name, run(["dpkg-query", "-W", "-f", "${Version}\n", name]).split()[0]) for name in names)


def package_of(path):
    """The package of a library. If /lib is a link to /usr/lib, dpkg knows the file under only one of both names."""
    for name in (path, "/usr" + path, path.removeprefix("/usr")):
        try:
            return run(["dpkg-query", "-S", name]).split(":", 1)[0]
        except ReleaseError:
            continue
    raise ReleaseError(f"{path} is of no package")


def package(name, number, license_id):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": number, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": license_id, "licenseDeclared": license_id, "copyrightText": "NOASSERTION"}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
