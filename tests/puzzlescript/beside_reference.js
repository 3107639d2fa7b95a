/**
 * Plays games on a copy of PuzzleScript's own engine: a request a line on standard input, an answer a line.
 *
 *     node beside_reference.js FOLDER     (the folder holds js/engine.js and its neighbours)
 *
 * A request is {source, inputs, seed}, an answer {crash, refused, told, layers, boards}. Faults are counted to
 * their end: a game that the engine gives up after its first six is refused, and all are told.
 *
 * A request {source, level, inputs, most} is a search: from a level, breadth first, each of the inputs in each
 * position, until there are as many; wins do not count. Its answer is {positions, turns, seconds} of CPU time.
 */
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import vm from 'node:vm';

const MOST_TICKS = 500;
const FILES = [
    'storagewrapper', 'bitvec', 'level', 'languageConstants', 'globalVariables', 'debug', 'font', 'rng', 'riffwave',
    'sfxr', 'codemirror/stringstream', 'colorhelpers', 'colors', 'engine', 'parser', 'compiler', 'soundbar',
];
const nothing = () => {};
const kept = new Map();

/** What the engine expects of a browser. */
Object.assign(globalThis, {
    window: globalThis,
    localStorage: {
        getItem: key => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, String(value)),
        removeItem: key => kept.delete(key),
    },
    document: {
        URL: 'reference://', getElementById: () => null,
        body: { classList: { contains: () => false }, addEventListener: nothing, removeEventListener: nothing },
        createElement: () => ({ style: {}, getContext: () => null }),
    },
    canvas: null, input: null, lastDownTarget: null,
    UnitTestingThrow: error => { throw error; },
});
for (const name of [
    'canvasResize', 'redraw', 'forceRegenImages', 'consolePrintFromRule', 'consolePrint', 'console_print_raw',
    'consoleError', 'consoleCacheDump', 'addToDebugTimeline', 'killAudioButton', 'showAudioButton',
    'regenSpriteImages', 'jumpToLine', 'printLevel', 'playSound',
]) globalThis[name] = nothing;

const source = FILES.map(name => fs.readFileSync(path.join(process.argv[2], 'js', `${name}.js`), 'utf8')).join('\n');

/** Runs in the scope of the engine, whose variables are not properties of the global object. */
const play = `
let before;
const most = MAX_ERRORS;
MAX_ERRORS = Infinity;
globalThis.reference = {
    begin(text, level, seed) {
        unitTesting = true;
        lazyFunctionGeneration = false;
        resetParserErrorState();
        againing = false;
        before = state;
        compile(["loadLevel", level], text, seed);
    },
    told: () => errorStrings,
    refused: () => errorCount > most || state === before || state === null,
    levels: () => state.levels ?? [],
    layers: () => state.collisionLayers.map((_, layer) => state.idDict.filter(
        (name, id) => state.objects[name].layer === layer && state.objects[name].id === id)),
    board: () => curlevel + "\\n" + convertLevelToString(),
    cells: () => level.objects.slice(),
    put(cells) {
        level.objects.set(cells);
        level.movements.fill(0);
        backups = [];
        againing = textMode = winning = false;
        messagetext = "";
    },
    turn(value) { processInput(value, true); },
    again() { const more = againing; againing = false; return more; },
    give(value) {
        if (value === "undo") DoUndo(false, true);
        else if (value === "restart") DoRestart();
        else processInput(value === "tick" ? -1 : value);
    },
};`;
vm.runInThisContext(source + play, { filename: 'engine' });
console.log = console.error = console.warn = nothing;
const { reference } = globalThis;

function settle() {
    for (let ticks = 0; reference.again(); ticks++) {
        if (ticks === MOST_TICKS) throw new Error('endless');
        reference.give('tick');
    }
}

/** [line or 0, whether it is an error, sentence] */
function fault(html) {
    const line = Number(/ line (\d+)</.exec(html)?.[1] ?? 0);
    return [line, !html.includes('class="warningText"'), html.replace(/<\/?[a-zA-Z][^>]*>/g, '').trim()];
}

function answered({ source: text, inputs, seed }) {
    const answer = { crash: '', refused: true, told: [], layers: [], boards: [] };
    try {
        reference.begin(text, 0, seed);
    } catch (error) {
        answer.crash = String(error.message);
    }
    answer.told = reference.told().map(fault);
    answer.refused = Boolean(answer.crash) || reference.refused();
    if (answer.refused) return answer;
    const first = reference.levels().findIndex(level => level.message === undefined);
    answer.refused = first < 0;
    if (answer.refused) return answer;
    answer.layers = reference.layers();
    try {
        reference.begin(text, first, seed);
        settle();
        answer.boards.push(reference.board());
        for (const given of inputs) {
            reference.give(given);
            settle();
            answer.boards.push(reference.board());
        }
    } catch (error) {
        answer.boards.push(`! ${error.message}`);
    }
    return answer;
}

/** The fastest of several searches, so that the engine is compiled. */
function searched(request) {
    reference.begin(request.source, request.level, null);
    settle();
    const start = reference.cells();
    let fastest = search(start, request);
    for (let spent = fastest.seconds; spent < 1;) {
        const again = search(start, request);
        spent += again.seconds;
        if (again.seconds < fastest.seconds) fastest = again;
    }
    return fastest;
}

function search(start, { inputs, most }) {
    const waiting = [start];
    const key = cells => Buffer.from(cells.buffer, cells.byteOffset, cells.byteLength).toString('latin1');
    const seen = new Set([key(waiting[0])]);
    const begun = process.cpuUsage();
    let turns = 0;
    for (let at = 0; at < waiting.length && seen.size < most; at++) {
        for (const given of inputs) {
            reference.put(waiting[at]);
            reference.turn(given);
            settle();
            turns++;
            const cells = reference.cells();
            const found = key(cells);
            if (!seen.has(found)) {
                seen.add(found);
                waiting.push(cells);
            }
        }
    }
    const spent = process.cpuUsage(begun);
    return { positions: seen.size, turns, seconds: (spent.user + spent.system) / 1e6 };
}

readline.createInterface({ input: process.stdin }).on('line', line => {
    const request = JSON.parse(line);
    process.stdout.write(`${JSON.stringify(request.most ? searched(request) : answered(request))}\n`);
});
