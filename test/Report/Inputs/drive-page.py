"""Use a page as a person would, and print what is to be seen.

drive-page.py [--apart] PART page.html [PART page.html ...], where PART is one of the
functions below. A browser takes longer to start than to show most pages: it is one for all of
them. With --apart, what is to be seen is written to page.html.PART.
"""

import contextlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "utils"))

from browser import Browser  # noqa: E402

# Of the chart of a panel: the columns on the left and right of the map, and the rows of
# the curve and the map in it. They are the same as in painter.js.
LEFT, RIGHT, CURVE, MAP_TOP, MAP_BOTTOM = 78, 14, 50, 128, 36

PANELS = "[...document.querySelectorAll('#pools section')].map(s => s.panel)"


class Chart:
    """The first chart of a page, in ticks and bytes."""

    def __init__(self, page, ticks, top, selector=".chart"):
        self.page, self.ticks, self.top, self.selector = page, ticks, top, selector

    def place(self, tick, offset):
        """Return where a tick and an offset are on the screen, in the whole map."""
        x, y, width, height = self.page.box(self.selector)
        first, end = self.ticks
        left, right = x + LEFT, x + width - RIGHT
        low, high = y + height - MAP_BOTTOM, y + MAP_TOP
        return (
            left + (tick - first) / (end - first) * (right - left),
            low - offset / (1.07 * self.top) * (low - high),
        )

    def colour(self, tick, offset):
        """Return the colour of a pixel of the map."""
        x, y = self.place(tick, offset)
        x0, y0, _, _ = self.page.box(self.selector)
        return self.page.evaluate(
            f"(() => {{ const d = document.querySelector('{self.selector} canvas')"
            f".getContext('2d').getImageData({x - x0}, {y - y0}, 1, 1).data;"
            "return '#' + [...d].slice(0, 3).map(c => c.toString(16).padStart(2, '0'))"
            ".join(''); })()"
        )


def shown(page):
    """Return what the link to the page's state says."""
    page.settle()
    return page.evaluate("decodeURIComponent(location.hash)")


def view(page):
    """Return the ticks and offsets that are shown, rounded; nothing for all."""
    part = [p for p in shown(page).lstrip("#").split("&") if p.startswith("view=")]
    return [round(float(n)) for n in part[0][5:].split(",")] if part else []


def save_svg(page, click=True):
    """Return the chart as it is saved."""
    page.evaluate(
        "URL.createObjectURL = blob => { window.saved = blob; return '#'; }; 0"
    )
    page.click(".tools button[aria-label*=SVG]")
    return page.evaluate("window.saved.text()")


def texts(svg):
    """Return the texts of a chart, in the order of painting."""
    import xml.dom.minidom

    nodes = xml.dom.minidom.parseString(svg).getElementsByTagName("text")
    return [node.firstChild.data for node in nodes]


def over_curve(svg):
    """Return the texts of a chart that are inside of the frame of the curve."""
    import xml.dom.minidom

    document = xml.dom.minidom.parseString(svg)
    # The clip of the curve is the first one.
    frame = document.getElementsByTagName("clipPath")[0].firstChild
    x, y, width, height = (
        float(frame.getAttribute(name)) for name in ["x", "y", "width", "height"]
    )
    return [
        node.firstChild.data
        for node in document.getElementsByTagName("text")
        if x <= float(node.getAttribute("x")) <= x + width
        and y < float(node.getAttribute("y")) < y + height + 9
    ]


def set_search(page, text):
    page.evaluate("document.querySelector('#search').select()")
    page.click("#search")
    page.evaluate("document.querySelector('#search').select()")
    page.type(text)


def small(browser, path):
    """Names that look like markup, hovering, searching, tables, exports."""
    page = browser.open(path)
    print("panels", page.evaluate("document.querySelectorAll('#pools > section').length"))
    print("summary:", page.text("#summary"))
    print("legend:", page.text("#legend"))
    chart = Chart(page, (1, 10), 512)
    for name, tick, offset in [("first", 2, 128), ("second", 5, 384), ("none", 9.5, 500)]:
        page.hover(*chart.place(tick, offset))
        tip = "document.querySelector('#tip')"
        hidden = page.evaluate(f"{tip}.hidden")
        print(f"hover {name}:", "nothing" if hidden else page.text("#tip"))
    print("labels:", texts(save_svg(page)))
    for text in ["CONV1", "<img", "memref.copy memref<48", "nowhere"]:
        set_search(page, text)
        print(f"search {text}:", page.text("#found"))
    set_search(page, "conv1")
    page.key("Enter")
    print("found:", page.text("#found"), "|", page.text(".buffer h3"))
    page.evaluate("document.querySelector('#pools details').open = true")
    page.evaluate("document.querySelector('#left details').open = true")
    page.settle()
    print("table:", page.text("#pools tbody tr"))
    print("left:", page.text("#left details"))
    for name, code in [
        ("scripts", "document.scripts.length"),
        ("images", "document.images.length"),
        ("bold", "document.querySelectorAll('h2 b').length"),
        ("loaded", "performance.getEntriesByType('resource').length"),
    ]:
        print(name, page.evaluate(code))
    print("errors", page.errors())


def advice(browser, path):
    """What would lower the peak of the program."""
    page = browser.open(path)
    print("advice:", page.text("#advice"))
    print("errors", page.errors())


def nothing(browser, path):
    """A program without a pool, and without anything that stays."""
    page = browser.open(path)
    print("lines:", page.text("#lines"))
    print("errors", page.errors())


def first_screen(browser, path):
    """What is on the first screen: the first map, as a whole, and it can be read."""
    for width, height in [(1280, 800), (390, 844)]:
        page = browser.open(path, width=width, height=height, touch=width < 500)
        _, top, _, tall = page.box(".chart")
        summary = page.box("#summary")
        print(f"{width} x {height}:", top > 0 and top + tall <= height, tall >= 280,
              summary[1] + summary[3] <= top,
              "fits" if page.evaluate("document.documentElement.scrollWidth") <= width
              else "wide")
        if "-v" in sys.argv:
            print(top, tall)
            page.screenshot(f"{path}.{width}.png")
        print("errors", page.errors())


def layers(browser, path):
    """Layers in the order of time."""
    page = browser.open(path, fragment="#colour=layer")
    print("legend:", page.text("#legend"))
    print("errors", page.errors())


def runtime(browser, path):
    """What is said of pools of run-time size."""
    page = browser.open(path)
    print("summary:", page.text("#summary"))
    page.evaluate("document.querySelector('#runtime details').open = true")
    page.settle()
    print("runtime:", page.text("#runtime"))
    print("errors", page.errors())


def program(browser, path):
    """The program over time."""
    page = browser.open(path, width=1280, height=800)
    print("program:", page.text("#program"))
    x, y, width, height = page.box(".over-time")
    page.hover(x + LEFT + 0.5 * (width - LEFT - RIGHT), y + height / 2)
    print("tip:", page.text("#tip"))
    _, top, _, tall = page.box(".chart")
    print("map on the first screen:", top > y + height, top + tall <= 800)
    colours = page.evaluate(
        "(() => { const c = document.querySelector('.over-time canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "const seen = new Map(); for (let i = 0; i < d.length; i += 4) {"
        "const k = '#' + [...d.slice(i, i + 3)].map(n => n.toString(16).padStart(2, '0')).join('');"
        "seen.set(k, (seen.get(k) || 0) + 1); }"
        "return [...seen].filter(([, n]) => n > 200).map(([k]) => k).sort(); })()"
    )
    print("colours:", colours)
    if "-v" in sys.argv:
        page.screenshot(path + ".png")
    print("errors", page.errors())


def axis(browser, path):
    """Two pools of one function, and another function: time, operations, the peak."""
    page = browser.open(path, height=1600)

    def ticks():
        page.settle()
        return page.evaluate(
            f"{PANELS}.map(p => [p.view.t0, p.view.t1].map(Math.round).join(' '))"
        )

    print("whole:", ticks())
    page.evaluate("document.querySelector('.chart').focus()")
    page.key("+")
    print("zoomed:", ticks())
    page.key("0")
    print("whole:", ticks())
    for key in ["Home", "ArrowRight", "End"]:
        page.key(key)
        print("tick:", page.evaluate(f"{PANELS}.map(p => p.at)"),
              page.text(".inspector .operations"))
    page.evaluate("document.querySelector('#pool-1').panel.goTo(1)")
    print("between:", page.text(".inspector .operations"))
    print("peak:", page.text(".card p:nth-of-type(3)"))
    print("errors", page.errors())


def paths(browser, path):
    """Long paths keep what is at their right."""
    page = browser.open(path)
    print("title:", page.text("h1"))
    print("place:", page.text(".place"))
    page.evaluate("document.querySelector('#pools details').open = true")
    page.settle()
    print("table:", page.text("#pools tbody tr"))
    print("whole:", page.evaluate("document.querySelector('td.path').title"))
    page.hover(*Chart(page, (0, 2), 64).place(1, 32))
    print("tip:", page.text("#tip"))
    page.click_at(*Chart(page, (0, 2), 64).place(1, 32))
    print("pinned:", page.text(".buffer dl"))
    print("errors", page.errors())


def large(browser, path):
    """Everything that moves in a map of 2,000 buffers."""
    report = json.loads(Path(path).with_suffix(".json").read_text())
    buffers = report["pools"][0]["buffers"]
    end = max(b["end"] for b in buffers)
    page = browser.open(path)
    chart = Chart(page, (0, end), report["pools"][0]["poolSize"])
    peak = report["pools"][0]["peakTick"]
    print("at the peak:", page.evaluate("document.querySelector('.ticks input').value") == str(peak))

    def alive(tick):
        found = [b for b in buffers if b["begin"] <= tick < b["end"]]
        return len(found), sum(b["size"] for b in found)

    def check_list(what):
        tick = int(page.evaluate("document.querySelector('.ticks input').value"))
        count, _ = alive(tick)
        heading = page.text(".inspector h3")
        entries = page.evaluate(
            "[...document.querySelectorAll('.inspector > ol .entry .soft')]"
            ".map(e => e.textContent)"
        )
        units = {"KiB": 1024, "MiB": 1024**2}
        sizes = [float(e.split()[0]) * units[e.split()[1]] for e in entries]
        print(
            f"{what}:",
            f"Alive at tick {tick}: {count} buffer" in heading,
            len(entries) == count,
            sizes == sorted(sizes, reverse=True),
        )
        return tick

    x, _ = chart.place(1234.5, 0)
    page.evaluate("document.querySelector('.chart').scrollIntoView(); 0")
    page.settle(400)
    x, y, width, height = page.box(".chart")
    tick_x = x + LEFT + 1234.5 / end * (width - LEFT - RIGHT)
    page.click_at(tick_x, y + CURVE)
    clicked = check_list("click")
    print("clicked near:", abs(clicked - 1234) < 6)
    page.key("ArrowRight")
    print("next change:", check_list("right") > clicked)
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    print("previous change:", check_list("left") < clicked)
    page.key("Home")
    print("first:", check_list("home"))
    page.key("End")
    print("last:", check_list("end") == end - 1)
    page.key("p")
    print("peak:", check_list("peak") == peak)

    # The page need not be long enough to move: nothing keeps it from doing so.
    page.evaluate(
        "addEventListener('wheel', event => window.isKept = event.defaultPrevented); 0"
    )
    before = page.evaluate("scrollY")
    page.wheel(tick_x, y + 300, 120)
    print("wheel scrolls:", page.evaluate("isKept === false"), view(page) == [])
    page.evaluate(f"scrollTo(0, {before})")
    page.settle()
    page.wheel(tick_x, y + 300, -200, modifiers=2)
    zoomed = view(page)
    print("wheel is kept with Ctrl:", page.evaluate("isKept === true"))
    print("wheel in:", zoomed[1] - zoomed[0] < end * 0.7, zoomed[0] < 1234 < zoomed[1])
    page.drag(x + 400, y + 300, x + 500, y + 300)
    moved = view(page)
    width_of = lambda part: part[1] - part[0]  # noqa: E731
    print("drag moves:", moved[0] < zoomed[0], abs(width_of(moved) - width_of(zoomed)) <= 1)
    for key, what in [("+", "plus"), ("PageDown", "page down"), ("-", "minus")]:
        before = view(page)
        page.key(key)
        after = view(page)
        ratio = (after[1] - after[0]) / (before[1] - before[0])
        print(f"{what}: {ratio:.1f}", "later" if after[0] > before[0] else "earlier")
    page.wheel(tick_x, y + 300, -200, modifiers=1)
    high = view(page)
    print("wheel in bytes:", high[3] - high[2] < report["pools"][0]["poolSize"])
    page.key("0")
    print("whole map:", view(page))
    page.drag(x + 300, y + 200, x + 400, y + 400)
    box = view(page)
    print("box:", box[1] - box[0] < end * 0.2, box[3] - box[2] < report["pools"][0]["poolSize"])
    page.click(".tools button[aria-label='Show the whole map']")
    print("reset:", view(page))

    page.key("/")
    page.type("pooling model.mlir:610")
    print("search:", page.text("#found"))
    page.key("Enter")
    found = page.text(".buffer h3")
    print("jumped:", found, page.text("#found"))
    zoomed = view(page)
    match = next(b for b in buffers if b["name"] == found)
    print("shows it:", zoomed[0] <= match["begin"], match["end"] <= zoomed[1],
          zoomed[1] - zoomed[0] < 200)
    facts = page.text(".buffer dl")
    print("facts:", match["location"] in facts, match["type"] in facts)
    lists = page.text(".buffer")
    sharers = [b for b in buffers if b is not match
               and b["offset"] < match["offset"] + match["size"]
               and match["offset"] < b["offset"] + b["size"]]
    before = sum(b["end"] <= match["begin"] for b in sharers)
    after = sum(b["begin"] >= match["end"] for b in sharers)
    print("sharers:", f"before: {before}" in lists, f"after: {after}" in lists)
    link = shown(page)
    page.go(link)
    print("link:", page.text(".buffer h3") == found, view(page) == zoomed,
          page.evaluate("document.querySelector('#search').value"))

    page.go("")
    for mode in ["operation", "layer", "size", "age", "sharing"]:
        page.evaluate(
            f"(() => {{ const s = document.querySelector('#colour'); s.value = '{mode}';"
            "s.dispatchEvent(new Event('change')); })()"
        )
        page.settle()
        keys = page.evaluate("document.querySelectorAll('#legend .key').length")
        print(f"colour {mode}: {keys} keys,", shown(page))
    before = page.evaluate("document.querySelector('canvas').toDataURL()")
    page.click("#legend .key")
    after = page.evaluate("document.querySelector('canvas').toDataURL()")
    print("key dims the others:", before != after,
          page.evaluate("document.querySelector('#legend .key').ariaPressed"))

    page.evaluate("document.querySelector('#pools details').open = true")
    page.settle()
    column = "[...document.querySelectorAll('#pools tbody tr')].map(r => r.cells[3].innerText)"
    for _ in range(2):
        page.evaluate("document.querySelectorAll('#pools th button')[3].click(); 0")
        rows = [int(n.replace(",", "")) for n in page.evaluate(column)]
        print("sorted:", page.evaluate("document.querySelectorAll('#pools th')[3].ariaSort"),
              rows[0] == max(rows), rows[0] == min(rows), len(rows))
    page.evaluate("URL.createObjectURL = blob => { window.saved = blob; return '#'; }; 0")
    page.click(".tools button[aria-label*=PNG]")
    page.settle()
    print("png:", page.evaluate("window.saved.type"), page.evaluate("window.saved.size") > 5000)
    print("errors", page.errors())


def touch(browser, path):
    """Two fingers zoom, one moves."""
    page = browser.open(path, width=400, height=800, touch=True)
    page.evaluate("document.querySelector('.chart').scrollIntoView(); 0")
    page.settle(400)
    x, y, width, _ = page.box(".chart")
    print("fits:", page.evaluate("document.documentElement.scrollWidth") <= 400)
    y += 250
    page.touch("touchStart", [(x + 180, y), (x + 220, y)])
    for i in range(1, 6):
        page.touch("touchMove", [(x + 180 - 15 * i, y), (x + 220 + 15 * i, y)])
    page.touch("touchEnd", [])
    page.settle()
    pinched = view(page)
    print("pinch:", len(pinched) == 4 and pinched[1] - pinched[0] < 2000)
    page.touch("touchStart", [(x + 300, y)])
    for i in range(1, 6):
        page.touch("touchMove", [(x + 300 - 20 * i, y)])
    page.touch("touchEnd", [])
    page.settle()
    moved = view(page)
    print("pan:", moved[0] > pinched[0])
    page.touch("touchStart", [(x + 200, y)])
    page.touch("touchEnd", [])
    page.settle()
    print("tap:", page.text(".inspector h3") != "")
    print("errors", page.errors())


def optional(browser, path):
    """What a report need not have: it is drawn where it is there."""
    page = browser.open(path)
    print("summary:", page.text("#summary"))
    print("lines:", page.text("#lines"))
    print("facts:", page.text(".card p:nth-of-type(2)"))
    print("advice:", page.text(".advice"))
    svg = save_svg(page)
    for text in texts(svg):
        print("text:", text)
    print("over the curve:", over_curve(svg))
    chart = Chart(page, (0, 8), 64)
    gap, alive = chart.colour(2.5, 8), chart.colour(0.5, 8)
    print("gap:", gap != alive, alive == chart.colour(6.5, 8))
    page.click_at(*chart.place(0.5, 8))
    print("buffer:", page.text(".buffer dl"))
    page.click_at(*chart.place(7.5, 40))
    print("in place:", page.text(".buffer dl"))
    page.evaluate(
        "(() => { const s = document.querySelector('#colour'); s.value = 'region';"
        "s.dispatchEvent(new Event('change')); })()"
    )
    print("regions:", page.text("#legend"))
    print("errors", page.errors())


def regions(browser, path):
    """The memories of a target: a map for each, with its capacity and its buffers."""
    page = browser.open(path)
    print("summary:", page.text("#summary"))
    cards = page.evaluate("document.querySelectorAll('#pools > section').length")
    for number in range(1, cards + 1):
        card = f"#pools > section:nth-of-type({number})"
        print("panel:", page.text(f"{card} h2"))
        print("facts:", page.text(f"{card} p:nth-of-type(2)"))
    for text in texts(save_svg(page)):
        print("text:", text)
    for number, name in enumerate(["alpha", "beta", "delta"], 1):
        set_search(page, name)
        page.key("Enter")
        page.settle()
        shown = f"#pools > section:nth-of-type({number}) .buffer"
        print("buffer:", page.text(f"{shown} h3"), page.text(f"{shown} dl"))
    page.evaluate(
        "(() => { const s = document.querySelector('#colour'); s.value = 'region';"
        "s.dispatchEvent(new Event('change')); })()"
    )
    print("legend:", page.text("#legend"))
    print("errors", page.errors())


def barriers(browser, path):
    """The barriers of a kernel, and the pairs that they do not separate."""
    page = browser.open(path)
    svg = save_svg(page)
    print("lines:", page.text("#lines"))
    print("barrier lines:", svg.count('stroke="#1f5fa8"'))
    for selector in [".sync", ".sync + details"]:
        page.evaluate(f"document.querySelector('{selector}').open = true")
        page.settle()
        print("summary:", page.text(f"{selector} summary"))
        print("rows:", page.text(f"{selector} tbody"))
    print("host:", page.evaluate("document.querySelectorAll('#pool-2 .sync').length"))
    print("errors", page.errors())


def compare(browser, path):
    """Two plans: the changes, and both maps."""
    page = browser.open(path)
    first, second = page.box("#pool-before-1 .chart"), page.box("#pool-1 .chart")
    print("side by side:", first[1] == second[1], first[0] + first[2] < second[0],
          first[2] == second[2])
    views = f"{PANELS}.slice(0, 2).map(p => Object.values(p.view).join(' '))"
    scales = f"{PANELS}.slice(0, 2).map(p => p.painter.curveMost)"
    print("one scale:", *[len(set(page.evaluate(what))) == 1 for what in (views, scales)])
    page.evaluate("document.querySelector('#pool-before-1 .chart').focus()")
    page.key("+")
    print("zoomed:", len(set(page.evaluate(views))) == 1)
    page.key("0")
    print("panels:", page.evaluate(
        "[...document.querySelectorAll('#pools h2')].map(h => h.textContent).join('; ')"))
    print("summary:", page.text("#summary"))
    print("changes:", page.text("#changes"))
    page.click("#changes summary")
    print("functions:", page.text("#changes tbody"))
    print("legend:", page.text("#legend"))
    page.evaluate("document.querySelector('#changes details details').open = true")
    page.settle()
    print("buffers:", page.text("#changes details details tbody"))
    page.evaluate("document.querySelector('#changes details details tbody button').click(); 0")
    page.settle()
    print("shown:", shown(page))
    print("errors", page.errors())


def idle(browser, path):
    """Two plans of which one only has other offsets."""
    page = browser.open(path)
    print("changes:", page.text("#changes"))
    print("legend:", page.text("#legend"))
    print("errors", page.errors())


def accessible(browser, path):
    """Names, roles, focus order and contrast, as assistive technology has them."""
    page = browser.open(path)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.settle()
    focusable = ["button", "link", "searchbox", "combobox", "spinbutton", "application"]
    unnamed, roles = [], {}
    for node in page.accessibility():
        role = node["role"]["value"]
        roles[role] = roles.get(role, 0) + 1
        name = node.get("name", {}).get("value", "")
        if role in focusable + ["navigation", "region", "dialog", "columnheader"] and not name:
            unnamed.append((role, node.get("backendDOMNodeId")))
    print("unnamed:", unnamed)
    print("roles:", ", ".join(r for r in ["banner", "main", "search", "status", "application",
                                          "complementary", "toolbar", "columnheader", "heading"]
                              if roles.get(r)))
    print("chart:", next(node["name"]["value"] for node in page.accessibility()
                         if node["role"]["value"] == "application"))
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = false)")
    order = []
    for _ in range(40):
        page.key("Tab")
        order.append(page.evaluate(
            "(() => { const e = document.activeElement; return e.id || e.className ||"
            " e.ariaLabel || e.textContent.slice(0, 12); })()"))
        if order[-1] in ("", None) or order[-1] == "scroll":
            break
    print("focus:", " ".join(order[:5]), "...", "chart" in order,
          order.index("chart") < order.index("Tick"))
    visible = page.evaluate(
        "document.activeElement.matches(':focus-visible')")
    print("focus is visible:", visible)
    page.evaluate("document.querySelector('.chart').focus()")
    page.key("ArrowRight")
    print("announced:", page.evaluate("document.querySelector('#status').textContent"))
    print("help:", page.key("?") or page.evaluate("document.querySelector('#help').open"))
    page.key("Escape")
    for dark in [False, True]:
        for width in [1200, 390]:
            page = browser.open(path, width=width, dark=dark, touch=width < 500)
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            page.settle()
            print(f"contrast {'dark' if dark else 'light'} {width}:",
                  page.evaluate(CONTRAST), "wide" if page.evaluate(
                      "document.documentElement.scrollWidth") > width else "fits")
            print("small targets:", page.evaluate(SMALL_TARGETS))
        print("faint colours:", faint_colours(page))


def faint_colours(page):
    """Return the colours of charts that do not stand out: texts need 4.5 to 1."""

    def read(name):
        value = page.evaluate(
            "getComputedStyle(document.documentElement)"
            f".getPropertyValue('--{name}').trim()"
        )
        channels = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(a, b):
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)

    card = read("card")
    lines = ["ink", "soft", "link", "bound", "peak", "capacity", "baseline"]
    faint = [name for name in lines if contrast(read(name), card) < 4.5]
    fills = [f"class{i}" for i in range(9)] + [f"amount{i}" for i in range(6)]
    fills += ["rest", "same", "new", "grew", "shrank", "moved", "gone"]
    for name in fills:
        fill = read(name)
        if max(contrast(fill, 0), contrast(fill, 1)) < 4.5:
            faint.append(name)
    return faint


# The texts with less contrast than 4.5 to 1 (WCAG 2.1, 1.4.3), and how many were
# measured.
CONTRAST = r"""(() => {
  const parse = c => (c.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c =>
      c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  function background(e) {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  }
  const bad = [];
  let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement, style = getComputedStyle(e);
    if (!walker.currentNode.data.trim() || !e.getClientRects().length ||
        e.closest('script, style, noscript, :disabled')) continue;
    ++count;
    const [a, b] = [luminance(parse(style.color)), luminance(background(e))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2));
  }
  return `${count > 100 ? 'many' : count} texts, ${bad.length} too faint ${[...new Set(bad)]}`;
})()"""

# Buttons smaller than 24 pixels (WCAG 2.2, 2.5.8).
SMALL_TARGETS = r"""[...document.querySelectorAll('button, select, input')]
  .map(e => [e, e.getBoundingClientRect()])
  .filter(([e, b]) => b.width && (b.width < 24 || b.height < 24))
  .map(([e]) => e.className + e.textContent.slice(0, 8)).slice(0, 5)"""


if __name__ == "__main__":
    is_apart = sys.argv[1] == "--apart"
    arguments = sys.argv[2 if is_apart else 1 :]
    with Browser() as browser:
        for part, page in zip(arguments[::2], arguments[1::2]):
            with contextlib.ExitStack() as stack:
                if is_apart:
                    file = stack.enter_context(open(f"{page}.{part}", "w", encoding="utf-8"))
                    stack.enter_context(contextlib.redirect_stdout(file))
                globals()[part](browser, page)
