import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** The form of the answer to a transaction that the instance cancels. */
export type Cancelled =
  'an error object' | 'an error beside an empty result' | 'an error beside a record' | 'broken JSON';

/** The form of the answers of an instance under maintenance. */
export type Maintenance = 'a page with 200' | 'a page with 503';

/** Faults and special settings of an instance. A test can change them at any time. By default there are none. */
export interface InstanceConditions {
  /**
   * Tables whose rows the account may not read. Access rules filter rows after the query has run, so the answer is 200
   * with fewer rows, or none (https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB3047115).
   */
  hiddenTables: ReadonlySet<string>;
  /** Whether `X-Total-Count` counts the hidden rows, too (Table API, response headers). */
  countsHiddenRows: boolean;
  /**
   * Which requests hit a quota rule and are canceled
   * (https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB0866547).
   */
  cancels?: { readonly method: 'GET' | 'POST' | 'PATCH'; readonly table?: string; readonly answer: Cancelled };
  /**
   * Whether the account passes the `query_range` rules. Sorting requires this; a condition of equality does not
   * (https://www.servicenow.com/docs, "Query ACLs"). A query that requires them returns no rows if the account does not
   * pass.
   */
  maySort: boolean;
  /** Fields that a data policy requires of new records, by name with their labels (docs, "Data policy"). */
  mandatory: Readonly<Record<string, string>>;
  /**
   * Whether the account may write records. Otherwise writes fail ("Operation Failed", "ACL Exception Insert Failed").
   */
  mayWrite: boolean;
  /**
   * Whether a business rule of the company keeps the state of records, whatever a request sets (docs, "Business
   * rules").
   */
  keepsState?: boolean;
  /** Seconds of `Retry-After` while a rate limit rule applies (docs, "Inbound REST API rate limiting"). */
  throttledForS?: number;
  maintenance?: Maintenance;
  /**
   * Whether too many requests of one session wait. Further requests are then answered with 202 without a body
   * (https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB3047080).
   */
  overflows?: boolean;
}

export function plainInstance(): InstanceConditions {
  return { hiddenTables: new Set(), countsHiddenRows: true, maySort: true, mandatory: {}, mayWrite: true };
}

/** The fault answer of the instance; undefined if it answers normally. */
export function disturbance(
  { maintenance, throttledForS, overflows, cancels }: InstanceConditions,
  method: string,
  table: string,
): PlatformAnswer | undefined {
  if (maintenance !== undefined) return { status: maintenance === 'a page with 200' ? 200 : 503, text: MAINTENANCE };
  if (throttledForS !== undefined) return throttled(throttledForS);
  if (overflows) return { status: 202 };
  if (cancels?.method !== method || (cancels.table ?? table) !== table) return undefined;
  return CANCELLED[cancels.answer];
}

/** An error as the REST API reports it. */
export function failure(status: number, message: string, detail: string | null = null): PlatformAnswer {
  return { status, json: { error: { message, detail }, status: 'failure' } };
}

const MAINTENANCE = '<!DOCTYPE html><html><body><h1>Scheduled maintenance</h1></body></html>';
const EXCEEDED = 'Transaction cancelled: maximum execution time exceeded';
const ERROR = { error: { message: EXCEEDED, detail: `${EXCEEDED} Check logs for error trace` }, status: 'failure' };

const CANCELLED: Readonly<Record<Cancelled, PlatformAnswer>> = {
  'an error object': { status: 200, json: ERROR },
  'an error beside an empty result': { status: 200, json: { result: [], ...ERROR } },
  'an error beside a record': {
    status: 200,
    json: { result: { sys_id: '46e2', number: 'INC0010001', state: '6' }, ...ERROR },
  },
  // The answer contains the rows that were already written to it, and then the error.
  'broken JSON': {
    status: 200,
    text: `{"result":[{"sys_id":"46e2"},${JSON.stringify(ERROR).slice(0, -3)}`,
    headers: { 'content-type': 'application/json;charset=UTF-8' },
  },
};

/** An internal error of the instance. */
export const FAILED: PlatformAnswer = failure(500, 'Internal server error');

/** The refusal of a request beyond a rate limit rule. */
export function throttled(seconds: number): PlatformAnswer {
  const headers = { 'retry-after': String(seconds), 'x-ratelimit-limit': '100' };
  return { ...failure(429, 'Rate limit exceeded', 'Rejected by large REST API limit'), headers };
}
