// What all programs share: where the proxy is, what to ask, and how they tell what they got.
import { once } from "node:events";
import process from "node:process";

const { env } = process;

export const baseURL = env.GUARD_PROXY_BASE_URL;
export const apiKey = env.GUARD_PROXY_KEY;
export const model = env.GUARD_PROXY_MODEL;
export const question = env.GUARD_PROXY_QUESTION;
export const complaint = env.GUARD_PROXY_COMPLAINT;

// Wait until the test says that it is time.
export async function told() {
  await once(process.stdin, "data");
  process.stdin.unref();
}

// Run the case that the command line names, and print what it returns as JSON.
export async function main(cases) {
  const [name, ...rest] = process.argv.slice(2);
  const printed = await cases[name](...rest);
  process.stdout.write(JSON.stringify(printed));
}

// Return what an attempt ends with: what the client's user would catch.
export async function caught(attempt) {
  try {
    await attempt();
    return { name: null };
  } catch (error) {
    return error;
  }
}

export async function collected(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}
