// Reads a line of JSON for each case, `[baseURL, key, program, case, ...]`, and prints a line with
// what the case returns.
import process from "node:process";

import { nextLine, use } from "./program.mjs";

async function run(line) {
  const [baseURL, key, program, name, ...rest] = JSON.parse(line);
  use(baseURL, key);
  // Another proxy or another key is another program with clients of its own.
  const { default: cases } = await import(`./${program}.mjs?${encodeURIComponent(baseURL + key)}`);
  return cases[name](...rest);
}

for (;;) {
  const printed = await run(await nextLine()).catch((error) => ({ failed: error.stack }));
  process.stdout.write(`${JSON.stringify(printed)}\n`);
}
