// The openai package at the doors beside chat: responses and completions.
import OpenAI from "openai";

import { apiKey, baseURL, collected, model, question } from "./program.mjs";

const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const asked = { model, input: question };
const parameters = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
};
const tools = [{ type: "function", name: "find", strict: true, parameters }];
const format = {
  type: "json_schema",
  name: "place",
  strict: true,
  schema: {
    type: "object",
    properties: { building: { type: "string" }, floor: { type: "integer" } },
    required: ["building", "floor"],
    additionalProperties: false,
  },
};

function called(response) {
  const calls = response.output.filter((item) => item.type === "function_call");
  return calls.map((call) => [call.call_id, call.name, JSON.parse(call.arguments)]);
}

export default {
  async responses() {
    const plain = await client.responses.create(asked);
    const events = await collected(await client.responses.create({ ...asked, stream: true }));
    const deltas = events.filter((event) => event.type === "response.output_text.delta");
    return {
      plain: plain.output_text,
      status: plain.status,
      streamed: deltas.map((event) => event.delta).join(""),
      ends: [events[0].type, events.at(-1).type],
      whole: events.at(-1).response.output[0].content[0].text,
    };
  },

  async changed() {
    const plain = await client.responses.create(asked);
    const events = await collected(await client.responses.create({ ...asked, stream: true }));
    const helped = await client.responses.stream(asked).finalResponse();
    const prompted = { model, prompt: question };
    const completion = await client.completions.create(prompted);
    const chunks = await collected(await client.completions.create({ ...prompted, stream: true }));
    const replies = [plain, events.at(-1).response, helped, completion, chunks.at(-1)];
    return { actions: replies.map((reply) => reply.guard?.action ?? null) };
  },

  async roundTrip() {
    const first = await client.responses.create({ ...asked, tools });
    const results = called(first).map(([call_id, , { place }]) => ({
      type: "function_call_output",
      call_id,
      output: `${place} 지하`,
    }));
    const input = [{ role: "user", content: question }, ...first.output, ...results];
    return { text: (await client.responses.create({ model, tools, input })).output_text };
  },

  async json() {
    const body = { ...asked, text: { format } };
    const plain = await client.responses.create(body);
    const streamed = await client.responses.stream(body).finalResponse();
    return { plain: JSON.parse(plain.output_text), streamed: JSON.parse(streamed.output_text) };
  },

  async completions() {
    const body = { model, prompt: question };
    const plain = await client.completions.create(body);
    const chunks = await collected(await client.completions.create({ ...body, stream: true }));
    return {
      plain: plain.choices[0].text,
      streamed: chunks.map((chunk) => chunk.choices[0].text).join(""),
    };
  },
};
