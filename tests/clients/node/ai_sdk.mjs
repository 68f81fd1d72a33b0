// Vercel's AI SDK, with both of its providers for what speaks OpenAI's API.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateObject,
  generateText,
  jsonSchema,
  Output,
  readUIMessageStream,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from "ai";

import {
  apiKey,
  baseURL,
  caught,
  collected,
  model as name,
  nextLine,
  question as prompt,
} from "./program.mjs";

const openai = createOpenAI({ apiKey, baseURL });
const compatible = createOpenAICompatible({
  apiKey,
  baseURL,
  name: "guard-proxy",
  includeUsage: true,
  supportsStructuredOutputs: true,
});

// The plain `openai(name)` speaks to the responses endpoint.
const providers = {
  openai: () => openai.chat(name),
  compatible: () => compatible.chatModel(name),
  responses: () => openai(name),
  completion: () => openai.completion(name),
  compatibleCompletion: () => compatible.completionModel(name),
};

const place = jsonSchema({
  type: "object",
  properties: { building: { type: "string" }, floor: { type: "integer" } },
  required: ["building", "floor"],
  additionalProperties: false,
});

function asked(provider, more = {}) {
  return { model: providers[provider](), prompt, maxRetries: 0, ...more };
}

function answered({ text, finishReason, usage }) {
  return { text, finishReason, totalTokens: usage.totalTokens };
}

function finding(places) {
  const find = tool({
    description: "Find a place.",
    inputSchema: jsonSchema({
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
      additionalProperties: false,
    }),
    execute: ({ place: where }) => {
      places.push(where);
      return `${where} 지하`;
    },
  });
  return { tools: { find }, stopWhen: stepCountIs(3) };
}

function seen(error) {
  return {
    isApiCallError: APICallError.isInstance(error),
    status: error.statusCode ?? null,
    retryable: error.isRetryable ?? null,
    code: error.data?.error?.code ?? null,
    retryAfter: error.responseHeaders?.["retry-after"] ?? null,
  };
}

export default {
  async texts(provider) {
    const plain = await generateText(asked(provider));
    const result = streamText(asked(provider));
    const text = (await collected(result.textStream)).join("");
    const [finishReason, usage] = [await result.finishReason, await result.usage];
    const streamed = { text, finishReason, totalTokens: usage.totalTokens };
    return { plain: answered(plain), streamed, named: "x-guard-action" in plain.response.headers };
  },

  async parts(provider) {
    const parts = await collected(streamText(asked(provider)).fullStream);
    const deltas = parts.filter((part) => part.type === "text-delta");
    return {
      text: deltas.map((part) => part.text).join(""),
      types: [...new Set(parts.map((part) => part.type))],
    };
  },

  // What `useChat` shows: the messages that a browser builds from the app's own stream.
  async ui(provider) {
    const stream = streamText(asked(provider)).toUIMessageStream();
    const messages = await collected(readUIMessageStream({ stream }));
    const shown = messages.at(-1).parts.filter((part) => part.type === "text");
    return { role: messages.at(-1).role, texts: shown.map((part) => part.text) };
  },

  async tools(provider) {
    const [placesOfPlain, placesOfStream] = [[], []];
    const plain = await generateText(asked(provider, finding(placesOfPlain)));
    const result = streamText(asked(provider, finding(placesOfStream)));
    const text = (await collected(result.textStream)).join("");
    return {
      plain: { text: plain.text, places: placesOfPlain, steps: plain.steps.length },
      streamed: { text, places: placesOfStream, steps: (await result.steps).length },
    };
  },

  async objects(provider) {
    const generated = await generateObject(asked(provider, { schema: place }));
    const output = Output.object({ schema: place });
    const text = await generateText(asked(provider, { output }));
    const result = streamObject(asked(provider, { schema: place }));
    const partial = await collected(result.partialObjectStream);
    return {
      generated: generated.object,
      output: text.output,
      lastPart: partial.at(-1),
      streamed: await result.object,
    };
  },

  async failed(provider) {
    const errors = [];
    const onError = ({ error }) => errors.push(error);
    const plain = await caught(() => generateText(asked(provider)));
    await collected(streamText(asked(provider, { onError })).fullStream);
    return { plain: seen(plain), streamed: errors.map(seen) };
  },

  async aborted(provider) {
    const controller = new AbortController();
    const result = streamText(asked(provider, { abortSignal: controller.signal }));
    const reading = collected(result.fullStream);
    await nextLine();
    controller.abort();
    return { types: (await reading).map((part) => part.type) };
  },
};
