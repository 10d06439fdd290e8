import { GovernedCalls, type CallRequest } from '#calls';
import { MODEL, type Shop } from './spend.support.js';

/** The records and reservations of an organization, read without row-level security. */
export interface Books {
  events: { id: string; input: number; output: number; decision_id: string | null; metadata: object | null }[];
  /** Sum over the events. */
  requests: number;
  /** US dollars of the reservations, and of the windows' totals. */
  held: number;
  reserved: number;
  spent: number;
  open: number;
  decisions: number;
  incidents: number;
  outbox: number;
}

/**
 * A request of the shop's user: 1,000 input tokens and at most 2,000 output tokens, which cost three thousandths of a
 * dollar.
 */
export function requestOf({ userId }: Shop): CallRequest {
  return { user_id: userId, ...MODEL, estimated_input_tokens: 1_000, max_output_tokens: 2_000 };
}

/** An answer in OpenAI's format. */
export function answerOf(id: string, input = 10, output = 20) {
  return { id, model: MODEL.model, usage: { prompt_tokens: input, completion_tokens: output } };
}

/** Counts the ended calls, and then returns the records of the organization. */
export async function booksOf({ app, orgId }: Shop): Promise<Books> {
  await app.app.get(GovernedCalls, { strict: false }).flush(orgId);
  const ask = <Row extends object>(sql: string) => app.database.asOwner<Row>(sql, [orgId]);
  const one = async (sql: string): Promise<number> => Number((await ask<{ n: string }>(sql))[0]?.n);
  return {
    events: await ask(`select id, input_tokens::float8 as input, output_tokens::float8 as output, decision_id, metadata
      from governance.usage_events where org_id = $1 order by id`),
    requests: await one(`select coalesce(sum(requests), 0)::int as n from governance.usage_events where org_id = $1`),
    held: await one(`select coalesce(sum(amount_usd), 0)::float8 as n from governance.reservations where org_id = $1`),
    reserved: await one(`select coalesce(sum(reserved_usd), 0)::float8 as n from governance.budget_windows
      where org_id = $1`),
    spent: await one(
      `select coalesce(sum(spent_usd), 0)::float8 as n from governance.budget_windows where org_id = $1`,
    ),
    open: await one(`select count(*) as n from governance.open_calls where org_id = $1`),
    decisions: await one(`select count(*) as n from governance.decisions where org_id = $1`),
    incidents: await one(`select count(*) as n from governance.incidents where org_id = $1`),
    outbox: await one(`select count(*) as n from governance.events where org_id = $1`),
  };
}
