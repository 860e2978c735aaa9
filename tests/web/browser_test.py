#!/usr/bin/env python3
"""The explorer's page in a real browser (Debian's chromium, chromium-driver and python3-selenium).

  browser_test.py PROGRAM DATABASES [--pictures FOLDER] [TEST...]

Exit code 77 (skipped) where there is no such browser. --pictures keeps screenshots for people to look at."""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
from random import Random

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    print("skipped: there is no python3-selenium here")
    sys.exit(77)
if not pathlib.Path("/usr/bin/chromedriver").exists():
    print("skipped: there is no chromium-driver here")
    sys.exit(77)

from served import Client, Server, state

arguments = sys.argv[1:]
pictures = None
if "--pictures" in arguments:
    at = arguments.index("--pictures")
    pictures = pathlib.Path(arguments[at + 1])
    pictures.mkdir(parents=True, exist_ok=True)
    del arguments[at:at + 2]
PROGRAM, DATABASES = arguments[0], pathlib.Path(arguments[1])
RULES = ["awari", "unrestricted", "majority-slam", "never-starve", "abapa"]
downloads = tempfile.mkdtemp()


def browser(width=1280, height=1000, dark=False, language="en"):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for each in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--lang={language}",
                 f"--window-size={width},{height}"]:
        options.add_argument(each)
    if dark:
        options.add_argument("--force-dark-mode")
    options.add_experimental_option("prefs", {"download.default_directory": downloads, "intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    made.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                         {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    if dark:
        made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return made


class Page:
    """What a person sees and does."""

    def __init__(self, driver, server):
        self.driver, self.server = driver, server

    def open(self, query=""):
        self.driver.get(f"{self.server.address}/{query}")
        self.settle()
        return self

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.find(selector).text

    def wait(self, condition, what, seconds=20):
        WebDriverWait(self.driver, seconds, 0.05).until(lambda _: condition(), what)

    def settle(self):
        self.wait(lambda: self.find("#verdict").text != "", "a verdict")

    def pit(self, letter):
        return self.find(f"#pit-{letter}")

    def seeds(self):
        """A-F, then a-f."""
        return [int(self.pit(letter).find_element(By.CSS_SELECTOR, ".number").text) for letter in "ABCDEFabcdef"]

    def moves(self):
        query = self.driver.execute_script("return new URLSearchParams(location.search).get('moves') ?? ''")
        return query

    def click_pit(self, letter):
        before = self.moves()
        self.pit(letter).click()
        self.wait(lambda: self.moves() == before + letter, f"move {letter} after {before}")

    def press(self, key):
        self.driver.switch_to.active_element.send_keys(key)

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "status of 4" not in entry["message"]]

    def picture(self, name):
        if pictures:
            self.driver.save_screenshot(str(pictures / f"{name}.png"))


def box(element):
    r = element.rect
    return r["x"], r["y"], r["x"] + r["width"], r["y"] + r["height"]


def test_geometry_and_moves(driver, server):
    page = Page(driver, server).open()
    assert page.seeds() == [1] * 12
    south, north = [box(page.pit(each)) for each in "ABCDEF"], [box(page.pit(each)) for each in "abcdef"]
    for k in range(5):
        assert south[k][2] <= south[k + 1][0] and north[k + 1][2] <= north[k][0], "pits in a row"
    for k in range(6):
        assert north[5 - k][3] <= south[k][1] and abs(north[5 - k][0] - south[k][0]) < 2, "a pit faces its opposite"
    left, right = box(page.find(".store.north")), box(page.find(".store.south"))
    assert left[2] <= south[0][0] and right[0] >= south[5][2], "North's store on the left, South's on the right"
    assert "South to move" in page.text("#verdict") and "draw" in page.text("#verdict"), page.text("#verdict")
    page.picture("desktop")
    assert page.pit("a").get_attribute("aria-disabled") == "true", "the waiting side's pit"
    page.pit("a").click()
    time.sleep(0.3)
    assert page.moves() == "", "the waiting side's pit"
    page.click_pit("F")
    page.wait(lambda: "North to move" in page.text("#verdict"), "North's turn")
    answer = Client(server).json("/api/v1/position?" + state([1] * 12, moves="F"))
    assert page.seeds() == answer["board"][6:] + answer["board"][:6]
    page.find("#back").click()
    page.wait(lambda: page.moves() == "", "back")
    page.find("#forward").click()
    page.wait(lambda: page.moves() == "F", "forward")
    driver.back()
    page.wait(lambda: page.moves() == "", "the browser's back")
    assert not page.errors(), page.errors()


def test_keys_and_focus(driver, server):
    page = Page(driver, server).open()
    page.press("f")
    page.wait(lambda: page.moves() == "F", "the key f")
    page.press("2")
    page.wait(lambda: len(page.moves()) == 2, "the key 2")
    page.press(Keys.ARROW_LEFT)
    page.wait(lambda: page.moves() == "F", "arrow left")
    page.press(Keys.ARROW_RIGHT)
    page.wait(lambda: page.moves() == "Fb", "arrow right")
    page.press(Keys.HOME)
    page.wait(lambda: page.moves() == "", "home")
    page.press(" ")
    page.wait(lambda: len(page.moves()) == 1, "the space bar")
    page.open()
    driver.execute_script("document.getElementById('pit-C').focus()")
    page.press(Keys.ENTER)
    page.wait(lambda: page.moves() == "C", "enter on a pit")
    assert driver.execute_script("return document.activeElement.id") == "pit-C", "the pit keeps the focus"


def test_addresses(driver, server):
    page = Page(driver, server).open("?board=0,0,2,1,0,3,1,0,0,2,2,1&stores=20,16")
    assert page.seeds() == [0, 0, 2, 1, 0, 3, 1, 0, 0, 2, 2, 1]
    verdict = page.text("#verdict")
    assert "value from here −2" in verdict and "South wins by 2 seeds" in verdict, verdict
    assert "win" in page.pit("D").find_element(By.CSS_SELECTOR, ".value").get_attribute("class"), "ahead by the result"
    assert page.pit("D").find_element(By.CSS_SELECTOR, ".value").text == "★ −2"
    address = driver.current_url
    with Other() as second:
        there = Page(second, server)
        second.get(address)
        there.settle()
        assert there.seeds() == page.seeds() and there.text("#verdict") == verdict
    for bad in ["?board=1,2", "?board=x", "?board=1,1,1,1,1,1,1,1,1,1,1,1&moves=z", "?board=" + ",".join(["9"] * 12)]:
        page.open(bad)
        page.wait(lambda: page.find("#notice").is_displayed(), f"what is wrong with {bad}")
        assert page.seeds() == [1] * 12


class Other:
    def __init__(self, **options):
        self.options = options

    def __enter__(self):
        self.driver = browser(**self.options)
        return self.driver

    def __exit__(self, *_):
        self.driver.quit()


def test_late_answer(driver, server):
    """Two moves at once: the answer to the first comes too late to be shown."""
    page = Page(driver, server).open()
    driver.execute_script("""
      const real = window.fetch; let held = false;
      window.fetch = async (path, options) => {
        const answer = await real(path, {...options, signal: undefined});
        if (path.includes('moves=A') && path.includes('position') && !held) { held = true; await new Promise(r => setTimeout(r, 1500)); }
        return answer;
      };
      document.getElementById('pit-A').click();
      document.getElementById('pit-F').click();""")
    page.wait(lambda: page.moves() == "F", "the second move")
    time.sleep(2)
    assert page.moves() == "F", page.moves()


def test_names_and_contrast(driver, server):
    page = Page(driver, server).open()
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    names = {}
    for node in tree:
        role = node.get("role", {}).get("value")
        names.setdefault(role, []).append(node.get("name", {}).get("value", ""))
    assert {"a, North, 1 seed", "A, South, 1 seed, Value −1", "F, South, 1 seed, Value 0, best"} <= set(names["button"]), names
    for role in ["button", "combobox", "checkbox", "link"]:
        assert all(names.get(role, ["x"])), (role, names[role])
    ratios = driver.execute_script("""
      const parse = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
      const light = ([r, g, b]) => { const f = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
        return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
      const behind = node => { for (; node; node = node.parentElement) { const c = getComputedStyle(node).backgroundColor;
        if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255,255,255)'; };
      const ratio = node => { const a = light(parse(getComputedStyle(node).color)), b = light(parse(behind(node)));
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
      return [...document.querySelectorAll('.pit .value, .pit .number, .store span, button, td, th, p, h1, h2')]
        .filter(n => n.textContent.trim() && n.offsetParent && !n.disabled).map(n => [ratio(n), n.className, n.textContent]);""")
    poor = [each for each in ratios if each[0] < 4.5]
    assert ratios and not poor, poor


def axe():
    """The source of axe-core, fetched for this test alone; None where npm or the network is missing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", "--silent", "axe-core@4"], cwd=folder, check=True, capture_output=True, timeout=60)
            with tarfile.open(next(pathlib.Path(folder).glob("axe-core-*.tgz"))) as package:
                return package.extractfile("package/axe.min.js").read().decode()
        except (OSError, subprocess.SubprocessError):
            return None


def test_axe(driver, server):
    """No violation of WCAG 2 A and AA, in light and dark, on a phone, while editing, in a finished game."""
    source = axe()
    if source is None:
        print("  left out: axe-core cannot be had here")
        return
    views = {"start": "", "game": "?board=1,1,1,1,1,1,1,1,1,1,1,1&moves=AbC", "bad": "?board=1,2",
             "over": "?board=0,0,0,0,0,0,2,2,0,0,0,0"}
    with Other(dark=True) as dark, Other(width=360, height=780) as phone:
        for name, each in ("light", driver), ("dark", dark), ("phone", phone):
            page = Page(each, server)
            for view, query in [*views.items(), ("editor", "")]:
                page.open(query)
                if view == "editor":
                    page.find("#edit").click()
                each.execute_script(source)
                if view == "start":  # a fault that it must find
                    assert violations(each, "document.body.append(document.createElement('img'))"), "axe finds nothing"
                    page.open(query)
                    each.execute_script(source)
                found = violations(each)
                assert not found, (name, view, found)


def violations(driver, before=""):
    """Rules, and what breaks them, of the page after the script `before`."""
    return driver.execute_async_script(before + """;
      const done = arguments[0];
      axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']}).then(
        result => done(result.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html)])), error => done([String(error)]));""")


def test_edit_load_save(driver, server):
    page = Page(driver, server).open()
    page.find("#edit").click()
    for letter, count in zip("ABCDEFabcdef", [0, 0, 2, 1, 0, 3, 1, 0, 0, 2, 2, 1]):
        field = page.find(f"#fields input[name={letter}]")
        field.clear()
        field.send_keys(str(count))
    for name, count in [("south", 20), ("north", 16)]:
        field = page.find(f"#fields input[name={name}]")
        field.clear()
        field.send_keys(str(count))
    page.picture("editor")
    page.find("#editor button[type=submit]").click()
    page.wait(lambda: page.seeds()[2] == 2, "the edited board")
    assert not page.find("#editor").is_displayed()
    page.picture("edited")
    page.click_pit("D")
    page.find("#save").click()
    saved = pathlib.Path(downloads) / "game.txt"
    page.wait(saved.exists, "the saved game")
    time.sleep(0.3)
    text = saved.read_text()
    assert "board 0,0,2,1,0,3,1,0,0,2,2,1" in text and "D1" in text, text
    page.open()
    page.find("#file").send_keys(str(saved))
    page.wait(lambda: page.moves() == "D", "the loaded game")
    saved.write_text("rubbish\n")
    page.find("#file").send_keys(str(saved))
    page.wait(lambda: page.find("#notice").is_displayed(), "what is wrong with the file")
    saved.unlink()
    page.open("?board=1,1,1,1,1,1,1,1,1,1,1,1&moves=AbC")
    page.wait(lambda: len(page.all("#list button")) == 3, "the list of moves")
    page.find("#line").click()
    page.wait(lambda: page.find("#line_box").is_displayed() and page.text("#line_text") != "", "the best line")


def test_program_plays(driver, server):
    page = Page(driver, server).open()
    for side in page.all("#players fieldset"):
        Select(side.find_element(By.CSS_SELECTOR, "select")).select_by_value("program")
    page.wait(lambda: len(page.moves()) >= 3, "three moves of the program", 30)
    page.picture("program")


# Boards on which the game is over under every rule set: board, stores, ending.
ENDINGS = [([0] * 6 + [2, 2, 0, 0, 0, 0], (0, 0), "emptied"), ([0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0], (20, 1), "majority")]


def test_endings_of_all_rules(driver, server):
    for rules in RULES:
        with Server(PROGRAM, DATABASES / rules) as other:
            page, client = Page(driver, other), Client(other)
            for board, stores, code in ENDINGS:
                answer = client.json("/api/v1/position?" + state(board, stores))
                assert answer["outcome"]["ending"] == code, (rules, board, answer["outcome"])
                page.open(f"?board={','.join(map(str, board))}&stores={stores[0]},{stores[1]}")
                assert not page.all(".pit.playable"), "no pit is left to play"
            # A game from the start to its end, by the best moves.
            page.open()
            for _ in range(80):
                if not page.find("#best").is_enabled():
                    break
                before = page.moves()
                page.find("#best").click()
                page.wait(lambda: len(page.moves()) == len(before) + 1, f"the best move after {before}")
            answer = client.json("/api/v1/position?" + state(page_board(other), moves=page.moves()))
            if rules == "awari":
                page.picture("finished")
            assert answer["outcome"] or answer["choice"] is None, (rules, page.moves())


# How a game can end by moves. A side without seeds to move has lost the rest when the other moved, except where it
# may not be left without: there the mover may be stuck.
ENDINGS_BY_MOVES = {rules: {"majority", "repetition", "starved" if rules in ("awari", "unrestricted") else "no_move"}
                    for rules in RULES}


def random_board(random, seeds):
    board = [0] * 12
    for _ in range(seeds):
        board[random.randrange(12)] += 1
    return board


def random_game(client, random, seeds):
    """Board, stores, moves and outcome of a game of random moves on a random board."""
    stores = [random.randrange(20)] * 2  # full stores make a majority late
    board, moves = random_board(random, seeds), ""
    for _ in range(100):
        here = client.json("/api/v1/position?" + state(board, stores, moves=moves))
        if here["outcome"]:
            break
        moves += random.choice([move["pit"] for move in here["moves"] if move["legal"]])
    return board, stores, moves, here["outcome"]


def test_every_ending_by_moves(driver, server):
    """Whole games, whose last move is played on the page: the verdict names the ending and the stores."""
    random = Random(1)
    for rules in RULES:
        with Server(PROGRAM, DATABASES / rules) as other:
            page, client, found = Page(driver, other), Client(other), {}
            for k in range(1000):
                board, stores, moves, outcome = random_game(client, random, 2 + 2 * (k % 5))
                if outcome and moves:
                    found.setdefault(outcome["ending"], (board, stores, moves, outcome))
                if set(found) == ENDINGS_BY_MOVES[rules]:
                    break
            assert set(found) == ENDINGS_BY_MOVES[rules], (rules, set(found))
            for ending, (board, stores, moves, outcome) in found.items():
                page.open("?" + state(board, stores, moves=moves[:-1]))
                page.click_pit(moves[-1])
                page.wait(lambda: WORDS_OF_ENDINGS[ending] in page.text("#verdict"), f"{ending}: {moves}")
                final = "–".join(f"{each:g}" for each in outcome["stores"])
                assert final in page.text("#verdict"), (final, page.text("#verdict"))
                assert not page.all(".pit.playable"), "no pit is left to play"
            assert not page.errors(), page.errors()


WORDS_OF_ENDINGS = {"majority": "more than half of all seeds", "emptied": "no seeds to move", "no_move": "no legal move",
                    "starved": "the last move took all that was left", "repetition": "the position repeats"}


def run(*words):
    subprocess.run([PROGRAM, *words], check=True, capture_output=True)


def test_outcome_database(driver, server):
    """A clamped value is never shown as if it were exact."""
    with tempfile.TemporaryDirectory() as folder:
        run("clamp", "--db", str(DATABASES / "awari"), "--out", folder, "--total", "18")
        with Server(PROGRAM, folder) as other:
            page, client, bounds = Page(driver, other), Client(other), 0
            assert "outcomes of games of 18 seeds" in page.open().text("#database"), page.text("#database")
            random = Random(2)
            for _ in range(20):
                board = random_board(random, 14)
                answer = client.json("/api/v1/position?" + state(board))
                page.open(f"?board={','.join(map(str, board))}")
                for move in answer["moves"]:
                    if not move["legal"] or move["value"] is None:
                        continue
                    shown = page.pit(move["pit"]).text
                    bounds += move["bound"] is not None
                    words = {None: False, "at_least": "at least", "at_most": "at most"}[move["bound"]]
                    assert words in shown if words else "at " not in shown, (board, move, shown)
                if answer["bound"]:
                    words = answer["bound"].replace("_", " ")
                    assert words in page.text("#verdict"), (board, page.text("#verdict"))
            assert bounds > 10, "too few values beyond the bounds were looked at"
            page.picture("outcomes")


def test_distances(driver, server):
    """Plies are shown where they are stored; where they are not, it is said how to have them."""
    hint = "solved without distances"
    assert hint in Page(driver, server).open().text("body")
    with tempfile.TemporaryDirectory() as folder:
        run("solve", "--distances", "--seeds", "8", "--db", folder)
        with Server(PROGRAM, folder) as other:
            page, client = Page(driver, other), Client(other)
            board = [0, 1, 0, 2, 0, 1, 1, 0, 2, 0, 0, 1]
            page.open(f"?board={','.join(map(str, board))}")
            assert hint not in page.text("body")
            answer = client.json("/api/v1/position?" + state(board))
            assert answer["distance"] and f"{answer['distance']} plies" in page.text("#verdict"), page.text("#verdict")
            rows = [row.text for row in page.all("#moves tbody tr")]
            for move in answer["moves"]:
                if move["legal"] and move["distance"]:
                    assert any(row.startswith(move["pit"]) and f" {move['distance']} " in row + " " for row in rows), rows


def page_board(server):
    each = max(1, min(4, Client(server).json("/api/v1/database")["complete_up_to"] // 12))
    return [each] * 12


def test_french(driver, server):
    page = Page(driver, server).open()
    Select(page.find("#language")).select_by_value("fr")
    page.wait(lambda: "Sud au trait" in page.text("#verdict"), "French")
    assert driver.execute_script("return document.documentElement.lang") == "fr"
    page.picture("french")
    keys = driver.execute_async_script("""
      const done = arguments[0];
      import('/words.js').then(({words}) => done([Object.keys(words.en).sort(), Object.keys(words.fr).sort(),
        Object.keys(words.en).filter(k => (words.en[k].match(/{\\w+}/g) ?? []).sort().join() !== (words.fr[k].match(/{\\w+}/g) ?? []).sort().join())]));""")
    assert keys[0] == keys[1] and not keys[2], keys
    Select(page.find("#language")).select_by_value("en")


def test_phone(driver, server):
    with Other(width=360, height=780) as small:
        page = Page(small, server).open()
        assert small.execute_script("return document.documentElement.scrollWidth") <= 360, "no sideways scrolling"
        for letter in "ABCDEFabcdef":
            left, top, right, bottom = box(page.pit(letter))
            assert right - left >= 48 and bottom - top >= 48, (letter, right - left, bottom - top)
        north, south = box(page.find(".store.north")), box(page.find(".store.south"))
        assert north[3] <= box(page.pit("a"))[1] and south[1] >= box(page.pit("A"))[3], "stores in rows of their own"
        page.picture("phone")
    with Other(dark=True) as dark:
        page = Page(dark, server).open("?board=1,1,1,1,1,1,1,1,1,1,1,1&moves=AbC")
        page.wait(lambda: len(page.all("#list button")) == 3, "the list")
        page.picture("dark")
        test_names_and_contrast(dark, server)


def readme_picture(driver, server):
    """Not a test: what README shows (scripts/explorer-picture.sh)."""
    page = Page(driver, server).open("?board=1,1,1,1,1,1,1,1,1,1,1,1&moves=AbC")
    page.wait(lambda: len(page.all("#list button")) == 3, "the list of moves")
    page.picture("explorer")


chosen = arguments[2:] or [name for name in globals() if name.startswith("test_")]
try:
    main = browser()
except WebDriverException as error:
    print(f"skipped: chromium does not start here ({str(error).splitlines()[0]})")
    sys.exit(77)
try:
    # A database of 12 seeds is what people have first.
    with Server(PROGRAM, DATABASES / "awari") as served:
        for name in chosen:
            begin = time.monotonic()
            globals()[name](main, served)
            print(f"{name}: passed in {time.monotonic() - begin:.1f} s", flush=True)
finally:
    main.quit()
