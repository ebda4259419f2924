// Opens trace events with the importer of an installed speedscope, and prints what it finds: a line of JSON for
// each file, with the calls of each profile as [name, depth, weight] in the order of their ends, and its warnings.
//
//     node compare_speedscope.js SPEEDSCOPE_DIRECTORY FILE...
//
// The importer is in the bundle of the page. It is found by what it does, because the names in the bundle change with
// each release, and is called at the point where the page would start.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const IMPORTER = /function ([\w$]+)\(([\w$]+)\)\{return [\w$]+\(\2\)\?[\w$]+\(\2\):[\w$]+\(\2\)\?[\w$]+\(\2\.traceEvents\)/;
const INITIALIZER = /,([\w$]+)=[\w$]+\(\(\)=>\{"use strict";(?:[\w$]+\(\);)*[\w$]+=\["line","column","name","category"/;

function importerOf(directory, warnings) {
    const release = path.join(directory, "dist", "release");
    const bundle = fs.readdirSync(release).find((name) => /^speedscope[-.].*\.js$/.test(name));
    const text = fs.readFileSync(path.join(release, bundle), "utf8");
    const importer = IMPORTER.exec(text), initializer = INITIALIZER.exec(text);
    if (!importer || !initializer)
        throw new Error("this release of speedscope is not known: its importer was not found");
    const hook = `globalThis.importTraceEvents=j=>{${initializer[1]}();return ${importer[1]}(j)};`;
    const page = { console: { ...console, warn: (text) => warnings.push(text) }, setTimeout() {}, TextDecoder, URL };
    page.globalThis = page.window = page.self = page;
    try {
        vm.runInNewContext(text.slice(0, importer.index) + hook + text.slice(importer.index), page);
    } catch (error) {
        if (!page.importTraceEvents) throw error; // otherwise the page itself failed, for lack of a document
    }
    return page.importTraceEvents;
}

function callsOf(profile) {
    const calls = [], open = [];
    const enter = (node, at) => open.push([node.frame.name.replace(/ \{.*$/, ""), at]);
    profile.forEachCall(enter, (node, at) => {
        const [name, since] = open.pop();
        calls.push([name, open.length, at - since]);
    });
    return calls;
}

const warnings = [];
const open = importerOf(process.argv[2], warnings);
for (const name of process.argv.slice(3)) {
    warnings.length = 0;
    const profiles = open(JSON.parse(fs.readFileSync(name, "utf8"))).profiles;
    console.log(JSON.stringify({ profiles: profiles.map(callsOf), lost: warnings.filter((text) => !/Ending/.test(text)) }));
}
