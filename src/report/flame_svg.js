// Makes the picture above live: zoom, search, details, keys. Without it the picture stands as it
// is. Names are only ever set as text, never as markup. ASCII only, and no "]]" before ">": the
// script stands in a CDATA section.
"use strict";
(function () {
    const SVG = "http://www.w3.org/2000/svg";
    const XHTML = "http://www.w3.org/1999/xhtml";
    const SIDE = 12, GAP_FROM = 3, GAP = 0.8, LABEL_MARGIN = 8, LABEL_MIN = 3;
    const BAR_WIDTH = 640, BAR_HEIGHT = 36;

    const svg = document.documentElement;
    const byId = (id) => document.getElementById(id);
    const details = byId("details"), idle = details.textContent;
    const head = byId("head"), foot = byId("foot"), field = byId("frames");
    const heightOfPage = Number(svg.getAttribute("height"));
    let widthOfPage = Number(svg.getAttribute("width"));

    // The boxes in preorder: `end` is one past the last box of the subtree.
    const boxes = Array.from(field.children, (group, index) => {
        const label = group.querySelector("text");
        const title = group.querySelector("title").textContent;
        return {
            group, index, title,
            name: title.split("\n", 1)[0],
            rect: group.querySelector("rect"),
            label,
            depth: Number(group.dataset.d),
            start: Number(group.dataset.s),
            width: Number(group.dataset.w),
            parent: null,
            end: 0,
            hit: false,
        };
    });
    if (boxes.length === 0)
        return;
    const root = boxes[0];
    const boxOf = new Map(boxes.map((box) => [box.group, box]));

    function linkBoxes() {
        const open = [];
        for (const box of boxes) {
            while (open.length > box.depth)
                open.pop().end = box.index;
            box.parent = open.length ? open[open.length - 1] : null;
            open.push(box);
        }
        for (const box of open)
            box.end = boxes.length;
    }

    // Whether `box` is in the subtree of `above`.
    const isAbove = (above, box) => above.index <= box.index && box.index < above.end;

    // State: what is zoomed to and searched for. It lives in the URL's fragment, so that a link
    // keeps it and "back" goes back.

    let zoomed = null, pattern = "";
    let current = root; // the box that the keys start from

    const isShown = (box) => isAbove(zoomed, box) || isAbove(box, zoomed);

    function readFragment() {
        const values = new URLSearchParams(location.hash.slice(1));
        const index = Number(values.get("zoom"));
        return {zoomed: boxes[index] || root, pattern: values.get("search") || ""};
    }

    function fragmentOf(box, text) {
        const values = new URLSearchParams({zoom: box.index});
        if (text)
            values.set("search", text);
        return "#" + values;
    }

    function zoomTo(box) {
        makeCurrent(box);
        if (box !== zoomed)
            location.hash = fragmentOf(box, pattern);
    }

    // Typing must not fill the history.
    function searchFor(text) {
        location.replace(fragmentOf(zoomed, text));
    }

    // Drawing

    let characterWidth = 7.3;

    function measureCharacter() {
        const sample = document.createElementNS(SVG, "text");
        sample.textContent = "0".repeat(50);
        field.append(sample);
        characterWidth = sample.getComputedTextLength() / 50 || characterWidth;
        sample.remove();
    }

    function labelFor(name, width) {
        const room = Math.floor((width - LABEL_MARGIN) / characterWidth);
        if (room < LABEL_MIN)
            return "";
        const characters = Array.from(name.slice(0, 2 * room + 2));
        const columns = characters.map((c) => c.codePointAt(0) >= 0x800 ? 2 : 1);
        const total = columns.reduce((sum, n) => sum + n, 0);
        if (total <= room)
            return name;
        let kept = 0, used = 1;
        while (used + columns[kept] <= room)
            used += columns[kept++];
        return characters.slice(0, kept).join("") + "\u2026";
    }

    function place(box, left, width) {
        const text = labelFor(box.name, width);
        box.rect.setAttribute("x", left.toFixed(2));
        box.rect.setAttribute("width", (width >= GAP_FROM ? width - GAP : width).toFixed(2));
        if (text && !box.label) {
            box.label = document.createElementNS(SVG, "text");
            box.label.setAttribute("y", Number(box.rect.getAttribute("y")) + 13);
            box.group.append(box.label);
        }
        if (box.label) {
            box.label.textContent = text;
            box.label.setAttribute("x", (left + LABEL_MARGIN / 2).toFixed(2));
        }
    }

    function layOut() {
        const inner = widthOfPage - 2 * SIDE;
        const scale = inner / (zoomed.width || 1);
        for (const box of boxes) {
            const above = isAbove(box, zoomed);
            const shown = isShown(box);
            box.group.style.display = shown ? "" : "none";
            box.group.classList.toggle("above", above && box !== zoomed);
            if (above)
                place(box, SIDE, inner);
            else if (shown)
                place(box, SIDE + (box.start - zoomed.start) * scale, box.width * scale);
        }
    }

    // Searching

    function compile(text) {
        // A pattern without capitals does not care for them.
        try {
            return new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
        } catch (error) {
            return null;
        }
    }

    // Marks what matches; returns how many of the zoomed frames do and their width, in which a
    // match inside a match counts once.
    function mark(expression) {
        const found = {count: 0, width: 0};
        let covered = 0;
        for (const box of boxes) {
            box.hit = expression !== null && expression.test(box.name);
            box.group.classList.toggle("hit", box.hit);
            if (!box.hit || !isAbove(zoomed, box))
                continue;
            found.count++;
            if (box.index >= covered) {
                found.width += box.width;
                covered = box.end;
            }
        }
        return found;
    }

    function search() {
        const expression = pattern ? compile(pattern) : null;
        const found = mark(expression);
        field.classList.toggle("searching", expression !== null);
        bar.input.setAttribute("aria-invalid", pattern !== "" && expression === null);
        if (bar.input.value !== pattern)
            bar.input.value = pattern;
        bar.matched.textContent = !pattern ? "" : expression === null ? "not a pattern" :
            `${found.count} found, ${percent(found.width, zoomed.width)}` +
            (zoomed === root ? "" : " of this frame");
    }

    function percent(part, whole) {
        return (whole ? 100 * part / whole : 0).toFixed(2) + " %";
    }

    // Details

    function describe(box) {
        details.classList.toggle("told", Boolean(box));
        details.textContent = box ? box.title.split("\n").join("  \u00b7  ") : idle;
    }

    function boxAt(target) {
        const group = target.closest ? target.closest(".f") : null;
        return group ? boxOf.get(group) : undefined;
    }

    // The bar of controls exists only where it works.

    const bar = {};

    function element(name, attributes, text) {
        const made = document.createElementNS(XHTML, name);
        for (const [key, value] of Object.entries(attributes))
            made.setAttribute(key, value);
        made.textContent = text || "";
        return made;
    }

    function makeBar() {
        const hint = "Regular expression; capitals matter when there are any";
        bar.frame = document.createElementNS(SVG, "foreignObject");
        bar.frame.setAttribute("y", 12);
        bar.frame.setAttribute("width", BAR_WIDTH);
        bar.frame.setAttribute("height", BAR_HEIGHT);
        bar.matched = element("span", {role: "status"});
        bar.input = element("input", {
            type: "search", placeholder: "Search (Ctrl+F)", "aria-label": "Search", title: hint,
            spellcheck: "false", autocomplete: "off",
        });
        bar.reset = element("button", {type: "button", title: "Escape"}, "Reset zoom");
        bar.input.addEventListener("input", () => searchFor(bar.input.value));
        bar.reset.addEventListener("click", () => zoomTo(root));
        const box = element("div", {class: "bar"});
        box.append(bar.matched, bar.reset, bar.input);
        bar.frame.append(box);
        head.append(bar.frame);
    }

    // Keys: arrows walk, Enter zooms, Escape goes back out, Ctrl+F and / search.

    function neighbour(box, key) {
        if (key === "ArrowDown")
            return box.parent;
        if (key === "ArrowUp") {
            const children = boxes.slice(box.index + 1, box.end)
                .filter((other) => other.parent === box && isShown(other));
            return children.reduce((a, b) => a && a.width >= b.width ? a : b, null);
        }
        const step = key === "ArrowRight" ? 1 : -1;
        for (let i = box.index + step; boxes[i]; i += step)
            if (boxes[i].depth === box.depth && isShown(boxes[i]))
                return boxes[i];
        return null;
    }

    function makeCurrent(box) {
        current.group.removeAttribute("tabindex");
        current = box;
        box.group.setAttribute("tabindex", 0);
    }

    function focusOn(box) {
        makeCurrent(box);
        box.group.focus({preventScroll: true});
        keepInSight(box);
    }

    // Keeps a box clear of the head and the foot, which lie over the picture.
    function keepInSight(box) {
        const at = box.rect.getBoundingClientRect();
        const top = head.getBoundingClientRect().bottom;
        const bottom = foot.getBoundingClientRect().top;
        if (at.top < top)
            window.scrollBy(0, at.top - top);
        else if (at.bottom > bottom)
            window.scrollBy(0, at.bottom - bottom);
    }

    function onKeyInSearch(event) {
        if (event.key === "Escape") {
            searchFor("");
            focusOn(current);
        } else if (event.key === "Enter") {
            const after = boxes.filter((box) => box.hit && isAbove(zoomed, box));
            if (after.length)
                focusOn(after[0]);
        }
    }

    function onKey(event) {
        const box = boxAt(event.target);
        const wantsSearch =
            event.key === "/" || (event.key === "f" && (event.ctrlKey || event.metaKey));
        if (event.target === bar.input) {
            onKeyInSearch(event);
            return;
        }
        if (wantsSearch) {
            bar.input.focus();
            bar.input.select();
        } else if (event.key === "Escape") {
            if (zoomed !== root)
                zoomTo(root);
            else
                searchFor("");
        } else if (event.key.startsWith("Arrow")) {
            const next = box ? neighbour(box, event.key) : current;
            if (next)
                focusOn(next);
        } else if (box && (event.key === "Enter" || event.key === " ")) {
            zoomTo(box);
        } else {
            return;
        }
        event.preventDefault();
    }

    // The window

    // Head and foot stay in sight however tall the picture is.
    function pin() {
        const below = Math.max(0, heightOfPage - window.innerHeight - window.scrollY);
        head.setAttribute("transform", `translate(0 ${Math.max(0, window.scrollY)})`);
        foot.setAttribute("transform", `translate(0 ${-below})`);
    }

    function fitWindow() {
        const scrollBar = heightOfPage > window.innerHeight ? 16 : 0;
        widthOfPage = Math.max(480, window.innerWidth - scrollBar);
        svg.setAttribute("width", widthOfPage);
        svg.setAttribute("viewBox", `0 0 ${widthOfPage} ${heightOfPage}`);
        bar.frame.setAttribute("x", widthOfPage - SIDE - BAR_WIDTH);
        layOut();
        pin();
    }

    function show() {
        const state = readFragment();
        const moved = state.zoomed !== zoomed;
        ({zoomed, pattern} = state);
        bar.reset.hidden = zoomed === root;
        if (!isShown(current))
            makeCurrent(zoomed);
        if (moved)
            layOut();
        search();
    }

    function listen() {
        field.addEventListener("click", (event) => {
            const box = boxAt(event.target);
            if (box)
                zoomTo(box);
        });
        field.addEventListener("mouseover", (event) => describe(boxAt(event.target)));
        field.addEventListener("mouseleave", () => describe(null));
        field.addEventListener("focusin", (event) => describe(boxAt(event.target)));
        // Where the focus is matters to who goes by keys; a click would leave its outline behind.
        window.addEventListener("keydown", () => svg.classList.add("keyed"), true);
        window.addEventListener("pointerdown", () => svg.classList.remove("keyed"), true);
        window.addEventListener("keydown", onKey);
        window.addEventListener("hashchange", show);
        window.addEventListener("resize", fitWindow);
        window.addEventListener("scroll", pin);
    }

    linkBoxes();
    makeBar();
    measureCharacter();
    svg.classList.add("live");
    makeCurrent(root);
    show();
    fitWindow();
    listen();
    // The root is at the bottom, and that is where reading starts.
    window.scrollTo(0, heightOfPage);
    pin();
})();
