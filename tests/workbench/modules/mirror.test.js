// Where strokes are mirrored.
// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { axesOf, centre, imagesOf } from "../../../plugins/workbench/src/epcg_workbench/static/regions.js";

/** A board of columns and rows, with further places.
 * @param {number} columns @param {number} rows @param {Site[]} [more] */
function board(columns, rows, more = []) {
  /** @type {Map<string, {kind: string, points: Point[], title: string}>} */ const sites = new Map();
  for (let x = 1; x <= columns; x += 1) for (let y = 1; y <= rows; y += 1) {
    sites.set(`c${x},${y}`, { kind: "cell", points: [[x - 0.5, y - 0.5]], title: "" });
  }
  for (const [id, kind, points] of more) sites.set(id, { kind, points, title: "" });
  return /** @type {Parameters<typeof centre>[0]} */ (/** @type {unknown} */ (
    { sites, middle: (/** @type {string} */ id) => sites.get(id)?.points[0] }));
}

test("each image has the stroke's order, and not its own places", () => {
  const own = board(4, 3);
  assert.deepEqual(imagesOf(own, ["c1,1", "c2,1"], "none"), []);
  assert.deepEqual(imagesOf(own, ["c1,1", "c2,1"], "left-right"), [["c4,1", "c3,1"]]);
  assert.deepEqual(imagesOf(own, ["c1,1"], "up-down"), [["c1,3"]]);
  assert.deepEqual(imagesOf(own, ["c1,1"], "both"), [["c4,1"], ["c1,3"], ["c4,3"]]);
  assert.deepEqual(imagesOf(own, ["c1,2"], "up-down"), []);
  assert.deepEqual(imagesOf(own, ["c1,1", "c4,1"], "left-right"), []);
});

test("edges and points between the cells have images of their kind", () => {
  const edges = /** @type {Site[]} */ ([["e1", "edge", [[1, 0.5]], ""], ["e2", "edge", [[2, 0.5]], ""]]);
  const own = board(3, 2, [...edges, ["p", "vertex", [[0, 0]], ""], ["q", "vertex", [[3, 2]], ""]]);
  assert.deepEqual(imagesOf(own, ["e1"], "left-right"), [["e2"]]);
  assert.deepEqual(imagesOf(own, ["p"], "both"), [["q"]]);
});

test("clues and choices beside the rows and columns do not move the middle", () => {
  const beside = /** @type {Site[]} */ ([["row1", "cell", [[-0.5, 0.5]], ""], ["row3", "cell", [[-0.5, 2.5]], ""],
    ["pad 1", "cell", [[6, 0.5]], ""]]);
  const own = board(4, 3, beside);
  assert.deepEqual(centre(own), [2, 1.5]);
  assert.deepEqual(imagesOf(own, ["row1"], "up-down"), [["row3"]]);
  assert.deepEqual(imagesOf(own, ["row1"], "left-right"), []);
  assert.equal(centre(board(0, 0, beside)), null);
});

test("on a board of any cells the axes are where cells have images, nearest to the middle of what is painted", () => {
  const own = board(6, 5);
  assert.deepEqual(axesOf(own, []), [3, 2.5]);
  assert.deepEqual(axesOf(own, ["c2,2", "c4,3"]), [2.5, 2]);
  assert.deepEqual(imagesOf(own, ["c1,2"], "both", axesOf(own, ["c2,2", "c4,3"])), [["c5,2"], ["c1,3"], ["c5,3"]]);
  assert.equal(axesOf(board(0, 0), []), null);
});

test("a triangle that points up is mirrored into one that does, and up-down into one that points down", () => {
  /** @type {Site[]} */ const cells = [];
  for (let x = 0; x < 9; x += 1) for (let y = 0; y < 4; y += 1) {
    const isUp = (x + y) % 2 === 0;
    cells.push([`t${x},${y}`, "cell", [[x / 2, (y + (isUp ? 2 / 3 : 1 / 3)) * Math.sqrt(3) / 2]], ""]);
  }
  const own = board(0, 0, cells), axes = axesOf(own, ["t3,1", "t4,1"]);
  assert.ok(axes);
  assert.deepEqual(imagesOf(own, ["t1,1"], "left-right", axes).flat().map((id) => (Number(id[1]) + 1) % 2), [0]);
  assert.deepEqual(imagesOf(own, ["t3,0"], "up-down", axesOf(own, [])), [["t3,3"]]);
});
