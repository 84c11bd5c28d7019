import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * A folder with all that lead to it. Node's own recursive mkdir never returns where a file system
 * (/proc) says of a folder inside an existing one that there is no such file. Throws what mkdir
 * throws.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (statSync(path).isDirectory() !== true) throw error;
  }
}
