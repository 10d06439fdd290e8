import { asRecord, type JsonRecord } from '../json.js';
import type { Plan, WrittenTool } from '../generation.js';
import { textOf } from '../tokens.js';
import { newId } from '../ids.js';

/** One item of a response's output, in its first and in its final state. */
export type OutputItem = { id: string; added: JsonRecord; done: JsonRecord } & (
  { kind: 'reasoning'; summary: string | undefined } | { kind: 'message' } | { kind: 'tool'; tool: WrittenTool }
);

/**
 * The items of a response: the reasoning first, then the message, then each function call. The reasoning has a summary
 * if the request asks for it.
 */
export function outputItems(plan: Plan, body: JsonRecord): OutputItem[] {
  const items: OutputItem[] = [];
  if (plan.generation.reasoningTokens > 0) items.push(reasoningItem(asRecord(body['reasoning'])));
  if (plan.textTokens > 0 || plan.tools.length === 0) items.push(messageItem(plan));
  for (const tool of plan.tools) items.push(toolItem(tool));
  return items;
}

function reasoningItem(asked: JsonRecord | undefined): OutputItem {
  const id = newId('rs_');
  const isSummarized = asked?.['summary'] !== undefined && asked['summary'] !== null;
  const summary = isSummarized ? '**Weighing the costs**' : undefined;
  const added = { id, type: 'reasoning', summary: [] };
  return {
    kind: 'reasoning',
    id,
    summary,
    added,
    done: { ...added, summary: summary === undefined ? [] : [{ type: 'summary_text', text: summary }] },
  };
}

function messageItem(plan: Plan): OutputItem {
  const id = newId('msg_');
  const head = { id, type: 'message', role: 'assistant' };
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text: textOf(0, plan.textTokens) }];
  return {
    kind: 'message',
    id,
    added: { ...head, status: 'in_progress', content: [] },
    done: { ...head, status: plan.isTruncated ? 'incomplete' : 'completed', content },
  };
}

function toolItem(tool: WrittenTool): OutputItem {
  const id = newId('fc_');
  const head = { id, type: 'function_call', call_id: newId('call_'), name: tool.name };
  return {
    kind: 'tool',
    id,
    tool,
    added: { ...head, status: 'in_progress', arguments: '' },
    done: { ...head, status: 'completed', arguments: tool.json },
  };
}
