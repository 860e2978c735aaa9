"""The text of the repository: links in its READMEs lead somewhere, one version is named everywhere, every part has an
entry in src/README.md and includes only what it declares to use, and the C++ is formatted (skipped without clang-format
14, as others format otherwise).

  repository_test.py links | version | parts | format
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = 77


def texts():
    return [path for path in ROOT.rglob("*.md") if not any(part.startswith(("build", "db")) for part in path.relative_to(ROOT).parts)]


def anchors(path):
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links():
    wrong = []
    for page in texts():
        prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            there = (page.parent / name).resolve() if name else page
            if not there.exists() or (anchor and anchor not in anchors(there)):
                wrong.append(f"{page.relative_to(ROOT)}: {target} is not there")
    overview = (ROOT / "src/README.md").read_text()
    wrong += [f"src/README.md does not mention {part.name}/" for part in sorted((ROOT / "src").iterdir())
              if part.is_dir() and f"{part.name}/" not in overview]
    return wrong


def version():
    """Of CMakeLists.txt, the Python module, the newest entry of the changelog, and the promises of src/store."""
    places = {
        "CMakeLists.txt": r"^project\(awele VERSION ([\d.]+)",
        "scripts/awele.py": r'^__version__ = "([\d.]+)"',
        ".github/CHANGELOG.md": r"^## ([\d.]+)",
        "src/store/README.md": r"^\| the program, ([\d.]+)",
    }
    found = {}
    for name, pattern in places.items():
        match = re.search(pattern, (ROOT / name).read_text(), re.M)
        found[name] = match[1] if match else "none"
    return [] if len(set(found.values())) == 1 else [f"versions differ: {found}"]


def parts():
    """Headers of another part are included only by a part that names it in USES, and USES names only parts above."""
    declared, wrong = {}, []
    for cmake in ("src", "src/probe", "src/web"):
        text = (ROOT / cmake / "CMakeLists.txt").read_text()
        for name, body in re.findall(r"^awele_part\((\w+)(.*?)\)$", re.sub(r"\$<[^>]*>|#.*", "", text), re.M | re.S):
            uses = re.search(r"\bUSES\b(.*?)(?:\bPRIVATE\b|$)", body, re.S)
            declared[name] = set(re.findall(r"awele_(\w+)", uses[1])) if uses else set()
    order = re.findall(r"^(?:awele_part|add_subdirectory)\((\w+)", (ROOT / "src/CMakeLists.txt").read_text(), re.M)
    for name, uses in declared.items():
        wrong += [f"{name} uses {other}, which does not stand above it" for other in uses
                  if other not in order or order.index(other) >= order.index(name)]
        for file in [*(ROOT / "src" / name).glob("*.?pp"), *(ROOT / "include/awele" / name).glob("*.?pp")]:
            included = set(re.findall(r'#include "awele/(\w+)/', file.read_text())) - {name}
            wrong += [f"{file.relative_to(ROOT)} includes awele/{other}/, which {name} does not declare to use"
                      for other in sorted(included - uses)]
    return wrong if len(declared) > 10 else [f"only {sorted(declared)} were found"]


def formatted():
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not program or "version 14." not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
        print("skipped: there is no clang-format 14 here")
        sys.exit(SKIPPED)
    files = [str(path) for folder in ("src", "include", "tests") for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
    done = subprocess.run([program, "--dry-run", "--Werror", *files], capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if "error" in line] if done.returncode else []


wrong = {"links": links, "version": version, "parts": parts, "format": formatted}[sys.argv[1]]()
print("\n".join(wrong[:20]) or "passed")
sys.exit(1 if wrong else 0)
