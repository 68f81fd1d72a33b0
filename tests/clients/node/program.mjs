// What all programs share: where the proxy is, what to ask, and how they tell what they got.
import process from "node:process";
import { createInterface } from "node:readline";

const { env } = process;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

export let baseURL = "";
export let apiKey = "";
export const model = env.GUARD_PROXY_MODEL;
export const question = env.GUARD_PROXY_QUESTION;
export const complaint = env.GUARD_PROXY_COMPLAINT;

// Decide where the clients of the programs that are loaded from now on send their requests.
export function use(address, key) {
  baseURL = address;
  apiKey = key;
}

// Return the next line that the test sends: a case to run, or the word that it is time to leave.
export async function nextLine() {
  return (await lines.next()).value;
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
