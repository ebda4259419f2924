// Makes the picture interactive: zoom, search, details, keys. Without this script, the picture
// stays as it is. Names are only set as text, never as markup. ASCII only, and no "]]" before ">",
// because the script is in a CDATA section.
"use strict";
(function () {
    const SVG = "http://www.w3.org/2000/svg";
    const XHTML = "http://www.w3.org/1999/xhtml";
    const SIDE = 12, GAP_FROM = 3, GAP = 0.8, LABEL_MARGIN = 8, LABEL_MIN = 3;
    const ROW_HEIGHT = 19, BOX_HEIGHT = 18, LABEL_BASE = 13, HEAD_HEIGHT = 66;
    const LEVELS_MAX = 512, DRAWN_MAX = 20000, NARROWEST = 0.3;
    const BAR_WIDTH = 640, BAR_HEIGHT = 36;

    const svg = document.documentElement;
    const byId = (id) => document.getElementById(id);
    const details = byId("details"), idle = details.textContent;
    const head = byId("head"), foot = byId("foot"), notes = byId("notes");
    const field = byId("frames"), hidden = byId("hidden");
    const heightWritten = Number(svg.getAttribute("height"));
    let heightOfPage = heightWritten;
    let widthOfPage = Number(svg.getAttribute("width"));

    // The boxes in preorder: `end` is one past the last box of the subtree. Boxes that were drawn
    // when the file was written keep their elements; the others have elements only while they are
    // visible.

    function drawnBox(group) {
        const title = group.querySelector("title").textContent;
        return {
            title: () => title,
            name: title.split("\n", 1)[0],
            depth: Number(group.dataset.d),
            start: Number(group.dataset.s),
            width: Number(group.dataset.w),
            group,
            rect: group.querySelector("rect"),
            label: group.querySelector("text"),
            isKept: true,
        };
    }

    const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

    function titleOf(box, unit) {
        const share = (digits) =>
            `${grouped(digits)} ${unit}, ${percent(Number(digits), Number(hidden.dataset.total || root.width))}`;
        const lines = [box.name, "total " + share(box.total), "self " + share(box.self)];
        if (box.compares)
            lines.push(`before: total ${grouped(box.before)}, self ${grouped(box.selfBefore)}`);
        if (box.count !== "")
            lines.push(grouped(box.count) + (box.count === "1" ? " call" : " calls"));
        if (box.address !== "" && box.isNamed)
            lines.push("at 0x" + box.address);
        return lines.join("\n");
    }

    // Reads a line of the data: depth, name, start relative to the previous box, width, total,
    // self, count, address; if runs are compared, also class, and total and self before.
    function hiddenBox(line, names, before) {
        const [depth, name, start, width, total, self, count, address, change, totalBefore,
            selfBefore] = line.split(",");
        const named = names[name];
        const box = {
            title: () => titleOf(box, hidden.dataset.unit),
            name: named ? named.name : "0x" + (address || "0"),
            isNamed: Boolean(named),
            colour: change || (named ? "c" + named.colour : "p"),
            compares: Boolean(change), before: totalBefore || "0", selfBefore: selfBefore || "0",
            depth: Number(depth),
            start: before.start + Number(start),
            width: Number(width),
            total: total || width,
            self: self || "0",
            count, address,
            group: null, rect: null, label: null,
            isKept: false,
        };
        return box;
    }

    function mergeBoxes(drawn) {
        if (!hidden)
            return drawn;
        const [nameLines, boxLines] = hidden.textContent.split("\n\n");
        const names = nameLines.split("\n").filter((line) => line !== "").map((line) => {
            const blank = line.indexOf(" ");
            return {colour: line.slice(0, blank), name: line.slice(blank + 1)};
        });
        const merged = [];
        let taken = 0;
        for (const line of boxLines.split("\n")) {
            if (line.startsWith("+"))
                for (let count = Number(line); count > 0; count--)
                    merged.push(drawn[taken++]);
            else if (line !== "")
                merged.push(hiddenBox(line, names, merged[merged.length - 1]));
        }
        return merged;
    }

    const boxes = mergeBoxes(Array.from(field.children, drawnBox));
    if (boxes.length === 0)
        return;
    const root = boxes[0];
    const boxOf = new Map();

    function linkBoxes() {
        const open = [];
        boxes.forEach((box, index) => {
            Object.assign(box, {index, parent: null, end: 0, hit: false, isSeen: box.isKept});
            while (open.length > box.depth)
                open.pop().end = index;
            box.parent = open.length ? open[open.length - 1] : null;
            open.push(box);
            if (box.group)
                boxOf.set(box.group, box);
        });
        for (const box of open)
            box.end = boxes.length;
    }

    // Whether `box` is in the subtree of `above`.
    const isAbove = (above, box) => above.index <= box.index && box.index < above.end;

    // State: the zoomed box and the search. It is stored in the URL's fragment, so that a link
    // contains it and "back" restores it.

    let zoomed = null, pattern = "";
    let current = root; // the box that the keys start from

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

    function addElements(box) {
        const title = document.createElementNS(SVG, "title");
        title.textContent = box.title();
        box.group = document.createElementNS(SVG, "g");
        box.group.setAttribute("class", "f " + box.colour);
        box.rect = document.createElementNS(SVG, "rect");
        box.rect.setAttribute("height", BOX_HEIGHT);
        box.rect.setAttribute("rx", 2);
        box.group.append(title, box.rect);
        box.group.classList.toggle("hit", box.hit);
        boxOf.set(box.group, box);
        field.append(box.group);
    }

    function dropElements(box) {
        boxOf.delete(box.group);
        box.group.remove();
        box.group = box.rect = box.label = null;
    }

    let base = 0, rows = 0; // the lowest level that is drawn, and the number of levels that fit

    function place(box, left, width) {
        const text = labelFor(box.name, width);
        const top = HEAD_HEIGHT + (rows - 1 - (box.depth - base)) * ROW_HEIGHT;
        if (!box.group)
            addElements(box);
        box.group.style.display = "";
        box.rect.setAttribute("x", left.toFixed(2));
        box.rect.setAttribute("y", top);
        box.rect.setAttribute("width", (width >= GAP_FROM ? width - GAP : width).toFixed(2));
        if (text && !box.label) {
            box.label = document.createElementNS(SVG, "text");
            box.group.append(box.label);
        }
        if (box.label) {
            box.label.textContent = text;
            box.label.setAttribute("x", (left + LABEL_MARGIN / 2).toFixed(2));
            box.label.setAttribute("y", top + LABEL_BASE);
        }
    }

    function hide(box) {
        if (box.isKept)
            box.group.style.display = "none";
        else if (box.group)
            dropElements(box);
    }

    // Finds the visible boxes: the zoomed one, those below it in the picture, and those above it.
    // If a box is too narrow, so are all above it, and they are skipped with it.
    function findWithin(narrowest, levels) {
        const seen = [];
        for (let box = zoomed; box; box = box.parent)
            seen.push(box);
        seen.reverse();
        for (let i = zoomed.index + 1; i < zoomed.end;) {
            const box = boxes[i];
            const isSeen = box.width >= narrowest && box.depth < zoomed.depth + levels;
            if (isSeen)
                seen.push(box);
            i = isSeen ? i + 1 : box.end;
        }
        return seen;
    }

    const areaOf = (seen) => seen.reduce((sum, box) => sum + box.width, 0);

    // Drops either narrow or deep boxes while there are too many, whichever leaves the larger area.
    function findSeen(scale) {
        const seen = findWithin(NARROWEST / scale, LEVELS_MAX);
        let narrow = seen, deep = seen;
        for (let width = NARROWEST; narrow.length > DRAWN_MAX; width *= 1.5)
            narrow = findWithin(width / scale, LEVELS_MAX);
        for (let levels = LEVELS_MAX; deep.length > DRAWN_MAX && levels > 1;) {
            levels -= Math.ceil(levels / 8);
            deep = findWithin(NARROWEST / scale, levels);
        }
        return areaOf(narrow) > areaOf(deep) || deep.length > DRAWN_MAX ? narrow : deep;
    }

    // Draws at most LEVELS_MAX levels; if there are more, the lowest are not drawn.
    function findRows(seen) {
        const deepest = seen.reduce((depth, box) => Math.max(depth, box.depth), 0);
        base = Math.max(0, deepest + 1 - LEVELS_MAX);
        rows = deepest + 1 - base;
    }

    const levelsWritten = boxes.reduce((n, box) => box.isKept ? Math.max(n, box.depth + 1) : n, 0);
    const heightOfNotes = heightWritten - HEAD_HEIGHT - levelsWritten * ROW_HEIGHT;

    // Fits the height of the picture to the visible boxes, but never below its original height.
    function fitHeight() {
        const needed = HEAD_HEIGHT + rows * ROW_HEIGHT + heightOfNotes;
        const height = Math.max(needed, heightWritten);
        rows += Math.floor((height - needed) / ROW_HEIGHT);
        notes.setAttribute("transform", `translate(0 ${height - heightWritten})`);
        if (height === heightOfPage)
            return;
        const grown = height - heightOfPage;
        heightOfPage = height;
        svg.setAttribute("height", height);
        svg.setAttribute("viewBox", `0 0 ${widthOfPage} ${height}`);
        window.scrollBy(0, grown); // keeps the bottom in place
        pin();
    }

    // The note about what zooming shows is useful only where zooming works.
    function tellOfNarrow(drawn) {
        const inside = drawn.reduce((count, box) => count + isAbove(zoomed, box), 0);
        const count = zoomed.end - zoomed.index - inside;
        const [note, ...others] = notes.querySelectorAll(".more");
        for (const other of others)
            other.textContent = "";
        const frames = count === 1 ? "frame that is" : "frames that are";
        if (note)
            note.textContent = !count ? "" : `Not drawn: ${grouped(String(count))} ${frames} ` +
                "too narrow or too deep. Zoom in to see more.";
    }

    let seenNow = boxes.filter((box) => box.isKept);

    function layOut() {
        const inner = widthOfPage - 2 * SIDE;
        const scale = inner / (zoomed.width || 1);
        const seen = findSeen(scale);
        findRows(seen);
        fitHeight();
        const drawn = seen.filter((box) => box.depth >= base);
        for (const box of boxes)
            box.isSeen = false;
        for (const box of drawn)
            box.isSeen = true;
        for (const box of seenNow)
            if (!box.isSeen)
                hide(box);
        seenNow = drawn;
        for (const box of drawn) {
            const above = isAbove(box, zoomed);
            if (above)
                place(box, SIDE, inner);
            else
                place(box, SIDE + (box.start - zoomed.start) * scale, box.width * scale);
            box.group.classList.toggle("above", above && box !== zoomed);
        }
        tellOfNarrow(drawn);
    }

    // Searching

    function compile(text) {
        // A pattern without capitals ignores case.
        try {
            return new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
        } catch (error) {
            return null;
        }
    }

    // Marks matching boxes. Returns how many of the zoomed boxes match, and their width; a match
    // inside a match counts once.
    function mark(expression) {
        const found = {count: 0, width: 0};
        const matches = new Map(); // many boxes share few names
        let covered = 0;
        for (const box of boxes) {
            if (!matches.has(box.name))
                matches.set(box.name, expression !== null && expression.test(box.name));
            box.hit = matches.get(box.name);
            if (box.group)
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
        details.textContent = box ? box.title().split("\n").join("  \u00b7  ") : idle;
    }

    function boxAt(target) {
        const group = target.closest ? target.closest(".f") : null;
        return group ? boxOf.get(group) : undefined;
    }

    // The bar of controls is added only where it works.

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
            const children = seenNow.filter((other) => other.parent === box);
            return children.reduce((a, b) => a && a.width >= b.width ? a : b, null);
        }
        const beside = seenNow.filter((other) => other.depth === box.depth);
        return beside[beside.indexOf(box) + (key === "ArrowRight" ? 1 : -1)] || null;
    }

    function makeCurrent(box) {
        if (current.group)
            current.group.removeAttribute("tabindex");
        current = box;
        if (box.group)
            box.group.setAttribute("tabindex", 0);
    }

    // Zooms to a box that is not drawn.
    function focusOn(box) {
        if (!box.isSeen) {
            location.hash = fragmentOf(box, pattern);
            show();
        }
        makeCurrent(box);
        box.group.focus({preventScroll: true});
        keepInSight(box);
    }

    // Scrolls a box out from under the head and the foot, which cover the picture.
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
                focusOn(after.find((box) => box.isSeen) || after[0]);
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

    // Keeps head and foot visible for a picture of any height.
    function pin() {
        const below = Math.max(0, heightOfPage - window.innerHeight - window.scrollY);
        const moved = heightOfPage - heightWritten;
        head.setAttribute("transform", `translate(0 ${Math.max(0, window.scrollY)})`);
        foot.setAttribute("transform", `translate(0 ${moved - below})`);
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
        if (moved)
            layOut();
        makeCurrent(current.isSeen ? current : zoomed);
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
        // The focus outline helps users of the keyboard; after a click it would only stay visible.
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
    // The root is at the bottom, where reading starts.
    window.scrollTo(0, heightOfPage);
    pin();
})();
