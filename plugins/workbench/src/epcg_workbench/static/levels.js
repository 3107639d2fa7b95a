// Empty levels.
// @ts-check
import { isLost, one } from "./api.js";
import { inside } from "./pieces.js";

/**
 * An empty level of the size of one of a file; null if its domain refuses empty ones.
 * @param {{domain: string, format: string, text: string}} file @param {number} number
 */
export async function emptied({ domain, format, text }, number) {
  const found = await one("project_piece", { domain, format, text, number });
  try {
    return (await one("put", { domain, text: found.text, sites: inside(found.scene.sites), mark: "" })).text;
  } catch (error) {
    if (isLost(error)) throw error;
    return null;
  }
}
