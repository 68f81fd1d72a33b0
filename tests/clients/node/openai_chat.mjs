// The openai package, as an app uses it for chat.
import OpenAI from "openai";

import {
  apiKey,
  baseURL,
  caught,
  collected,
  complaint,
  model,
  nextLine,
  question,
} from "./program.mjs";

const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const asked = { model, messages: [{ role: "user", content: question }] };
const complained = { model, messages: [{ role: "user", content: complaint }] };
const parameters = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
};
const finding = { name: "find", description: "Find a place.", parameters };
const find = { type: "function", function: finding };
const placeFormat = {
  type: "json_schema",
  json_schema: {
    name: "place",
    strict: true,
    schema: {
      type: "object",
      properties: { building: { type: "string" }, floor: { type: "integer" } },
      required: ["building", "floor"],
      additionalProperties: false,
    },
  },
};

const chat = client.chat.completions;

function texts(chunks, index = 0) {
  const deltas = chunks.flatMap((chunk) => chunk.choices.filter((one) => one.index === index));
  return deltas.map((one) => one.delta.content ?? "").join("");
}

function called(message) {
  return message.tool_calls.map(({ id, function: { name, arguments: given } }) => [
    id,
    name,
    JSON.parse(given),
  ]);
}

function seen(error) {
  return {
    name: error.constructor.name,
    isApiError: error instanceof OpenAI.APIError,
    status: error.status ?? null,
    code: error.code ?? null,
    retryAfter: error.headers?.get("retry-after") ?? null,
  };
}

export default {
  async answers() {
    const plain = await chat.create(asked);
    const chunks = await collected(await chat.create({ ...asked, stream: true }));
    const [{ message, finish_reason: finish }] = plain.choices;
    return {
      plain: { text: message.content, role: message.role, finish },
      streamed: {
        text: texts(chunks),
        role: chunks[0].choices[0].delta.role,
        finish: chunks.at(-1).choices[0].finish_reason,
      },
      models: [...new Set([plain, ...chunks].map((one) => one.model))],
      objects: [...new Set([plain, ...chunks].map((one) => one.object))],
    };
  },

  async tools() {
    const plain = await chat.create({ ...asked, tools: [find] });
    const streamed = await chat.stream({ ...asked, tools: [find] }).finalChatCompletion();
    const replies = [plain, streamed].map(({ choices: [choice] }) => choice);
    return {
      finishes: replies.map((choice) => choice.finish_reason),
      calls: replies.map((choice) => called(choice.message)),
    };
  },

  async roundTrip() {
    const places = [];
    const run = ({ place }) => {
      places.push(place);
      return `${place} 지하`;
    };
    const tool = { type: "function", function: { ...finding, function: run, parse: JSON.parse } };
    const plain = await chat.runTools({ ...asked, tools: [tool] }).finalContent();
    const streaming = chat.runTools({ ...asked, tools: [tool], stream: true });
    return { plain, streamed: await streaming.finalContent(), places };
  },

  async json() {
    const body = { ...asked, response_format: placeFormat };
    const plain = await chat.create(body);
    const streamed = await chat.stream(body).finalChatCompletion();
    const [one, other] = [plain, streamed].map((reply) => reply.choices[0].message.content);
    return { plain: JSON.parse(one), streamed: JSON.parse(other) };
  },

  async ended() {
    const plain = await chat.create(asked);
    const streamed = await chat.stream(asked).finalChatCompletion();
    const parsed = await caught(() => chat.parse({ ...asked, response_format: placeFormat }));
    return {
      finishes: [plain, streamed].map((reply) => reply.choices[0].finish_reason),
      actions: [plain, streamed].map((reply) => reply.guard.action),
      error: parsed.name === null ? null : parsed.constructor.name,
    };
  },

  async refused() {
    const reply = await chat.parse({ ...asked, response_format: placeFormat });
    const { content, refusal } = reply.choices[0].message;
    return { content: content || null, refusal };
  },

  async complaint() {
    const plain = await chat.create(complained);
    const chunks = await collected(await chat.create({ ...complained, stream: true }));
    return { plain: plain.choices[0].message.content, streamed: texts(chunks) };
  },

  async failed() {
    const plain = await caught(() => chat.create(asked));
    const streamed = await caught(async () => {
      await collected(await chat.create({ ...asked, stream: true }));
    });
    return { plain: seen(plain), streamed: seen(streamed) };
  },

  // A loop over a stream that is aborted just ends.
  async aborted() {
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const reading = collected(await chat.create({ ...asked, stream: true }, options));
    await nextLine();
    controller.abort();
    const chunks = await reading;
    return { finish: chunks.at(-1)?.choices[0].finish_reason ?? null };
  },

  async abortedHelper() {
    const stream = chat.stream(asked);
    const ending = caught(() => stream.done());
    await nextLine();
    stream.abort();
    return { name: (await ending).constructor.name };
  },
};
