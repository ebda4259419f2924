// The parts of a browser's page that the script of a flame graph uses, so that it runs in node.
//
// Reads {root, steps, width} as JSON from standard input: `root` is the document as nested [name, attributes, children],
// a text as a string. Each step is ["zoom", index], ["search", text], ["enter"], ["key", KEY] or ["escape"]. Writes what the
// page shows after loading and after each step, as JSON.
"use strict";
const fs = require("fs");
const vm = require("vm");

class Element {
    constructor(name) {
        this.name = name;
        this.attributes = new Map();
        this.nodes = [];
        this.parent = null;
        this.style = {};
        this.listeners = {};
        this.value = "";
        this.dataset = new Proxy({}, {get: (_, key) => this.getAttribute("data-" + key)});
        this.classList = {
            toggle: (word, wanted) => {
                const words = new Set((this.getAttribute("class") || "").split(" ").filter(Boolean));
                if (wanted)
                    words.add(word);
                else
                    words.delete(word);
                this.setAttribute("class", [...words].join(" "));
            },
            add: (word) => this.classList.toggle(word, true),
            remove: (word) => this.classList.toggle(word, false),
        };
    }
    getAttribute(name) { return this.attributes.has(name) ? this.attributes.get(name) : null; }
    setAttribute(name, value) { this.attributes.set(name, String(value)); }
    removeAttribute(name) { this.attributes.delete(name); }
    get children() { return this.nodes.filter((node) => node instanceof Element); }
    get textContent() {
        return this.nodes.map((node) => node instanceof Element ? node.textContent : node).join("");
    }
    set textContent(text) { this.nodes = [String(text)]; }
    append(...nodes) {
        for (const node of nodes) {
            node.parent = this;
            this.nodes.push(node);
        }
    }
    remove() {
        this.parent.nodes = this.parent.nodes.filter((node) => node !== this);
        this.parent = null;
    }
    *all() {
        for (const child of this.children) {
            yield child;
            yield* child.all();
        }
    }
    matches(selector) {
        return selector.startsWith(".")
            ? (this.getAttribute("class") || "").split(" ").includes(selector.slice(1))
            : this.name === selector;
    }
    querySelectorAll(selector) { return [...this.all()].filter((element) => element.matches(selector)); }
    querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
    closest(selector) {
        let element = this;
        while (element && !element.matches(selector))
            element = element.parent;
        return element;
    }
    addEventListener(type, listener) { this.listeners[type] = listener; }
    getComputedTextLength() { return 7.3 * this.textContent.length; }
    getBoundingClientRect() { return {top: 100, bottom: 118}; }
    focus() { page.focused = this; }
    select() {}
}

function build([name, attributes, nodes]) {
    const element = new Element(name);
    for (const [key, value] of Object.entries(attributes))
        element.setAttribute(key, value);
    for (const node of nodes)
        if (typeof node === "string")
            element.nodes.push(node);
        else
            element.append(build(node));
    return element;
}

const input = JSON.parse(fs.readFileSync(0, "utf8"));
const root = build(input.root);
const listeners = {};
const page = {focused: null};
let hash = "";
const location = {
    get hash() { return hash; },
    set hash(text) { go(text); },
    replace: go,
};

function go(text) {
    if (text === hash)
        return;
    hash = text;
    if (listeners.hashchange)
        listeners.hashchange();
}

const window = {
    innerWidth: input.width, innerHeight: 800, scrollY: 0,
    scrollBy() {}, scrollTo() {},
    addEventListener(type, listener) { listeners[type] = listener; },
};

const context = {
    window, location, URLSearchParams, console,
    document: {
        documentElement: root,
        getElementById: (id) => [...root.all()].find((element) => element.getAttribute("id") === id) || null,
        createElementNS: (_, name) => new Element(name),
    },
};

const inputOf = () => root.querySelector("input");

function look() {
    const field = context.document.getElementById("frames");
    const boxes = [];
    for (const group of field.querySelectorAll(".f")) {
        if (group.style.display === "none")
            continue;
        const rect = group.querySelector("rect");
        const label = group.querySelector("text");
        boxes.push({
            title: group.querySelector("title").textContent,
            class: group.getAttribute("class"),
            x: Number(rect.getAttribute("x")), y: Number(rect.getAttribute("y")),
            width: Number(rect.getAttribute("width")), height: Number(rect.getAttribute("height")),
            label: label ? label.textContent : "",
        });
    }
    const notes = context.document.getElementById("notes");
    return {
        boxes, hash,
        height: Number(root.getAttribute("height")),
        notes: notes.querySelectorAll(".note").map((note) => note.textContent),
        matched: root.querySelector("span").textContent,
        focused: page.focused && page.focused.querySelector("title") ? page.focused.querySelector("title").textContent : "",
    };
}

const key = (name, target) => listeners.keydown({key: name, target, preventDefault() {}});
const actions = {
    zoom: (index) => { location.hash = "#zoom=" + index; },
    search: (text) => {
        inputOf().value = text;
        inputOf().listeners.input();
    },
    enter: () => key("Enter", inputOf()),
    key: (name) => key(name, page.focused || root),
};

vm.runInNewContext(root.querySelectorAll("script").map((script) => script.textContent).join("\n"), context);
const seen = [look()];
for (const [action, ...values] of input.steps) {
    actions[action](...values);
    seen.push(look());
}
process.stdout.write(JSON.stringify(seen));
