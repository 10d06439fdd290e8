// The checker knows the journals and the tables, and nothing of the product's code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { readLines, readOperations, type Incident, type Operation, type Post } from '../journal.js';

/** What was written down at the end. */
export interface Stock {
  readonly orgId: string;
  readonly databaseUrl: string;
  /** Signing secrets, by receiver. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly gatewayUsers: readonly string[];
  /** What `audit verify` brought. */
  readonly audit: { readonly code: number; readonly said: string };
  /** What the ticket platforms hold; `key` is the id of our ticket. */
  readonly tickets: readonly { readonly platform: string; readonly name: string; readonly key: string }[];
  /** The calls that the provider got. */
  readonly provided: readonly ProvidedCall[];
  /** Work that was not done in the time that it had. */
  readonly left: readonly string[];
  readonly usage: readonly Record<string, unknown>[];
  readonly breakdown: Record<string, unknown>;
  readonly budgets: readonly Record<string, unknown>[];
  readonly overview: Record<string, unknown>;
}

/** A call as the provider saw it. */
export interface ProvidedCall {
  readonly call: string;
  readonly status: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly sentTokens: number;
  readonly usageSent: boolean;
  readonly outcome: string;
}

/** What the budgets of the database looked like at a moment of the campaign: a sentence about each fault. */
export interface Look {
  readonly over: string | null;
  readonly held: string | null;
}

/** All that there is to judge by. */
export interface Evidence {
  readonly stock: Stock;
  /** In the order in which they were begun. */
  readonly operations: readonly Operation[];
  readonly incidents: readonly Incident[];
  readonly posts: readonly Post[];
  readonly looks: readonly Look[];
  /** Rows of the database; $1 is the organization. */
  readonly rows: <Row extends object>(sql: string) => Promise<Row[]>;
}

/** Reads the journals of a folder, and connects to the database that they name. */
export async function openEvidence(folder: string): Promise<{ evidence: Evidence; close: () => Promise<void> }> {
  // Written by the campaign.
  const stock = JSON.parse(readFileSync(join(folder, 'stock.json'), 'utf8')) as Stock;
  const client = new pg.Client({ connectionString: stock.databaseUrl });
  await client.connect();
  const evidence: Evidence = {
    stock,
    operations: readOperations(join(folder, 'operations.jsonl')),
    incidents: readLines<Incident>(join(folder, 'faults.jsonl')),
    posts: readLines<Post>(join(folder, 'posts.jsonl')),
    looks: readLines<Look>(join(folder, 'looks.jsonl')),
    rows: async <Row extends object>(sql: string) => (await client.query<Row>(sql, [stock.orgId])).rows,
  };
  return { evidence, close: () => client.end() };
}

/** A field of an object in a journal; undefined where there is none. */
export function field(value: unknown, name: string): unknown {
  return Reflect.get(Object(value ?? {}), name);
}

/** The same, as a text. */
export function text(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : '';
}

/** Operations of a kind. */
export function ofKind({ operations }: Evidence, what: string): Operation[] {
  return operations.filter(operation => operation.what === what);
}
