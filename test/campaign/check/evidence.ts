// The checker uses only the journals and the tables, and nothing of the product's code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { readLines, readOperations, type Incident, type Operation, type Post } from '../journal.js';

/** The results collected at the end. */
export interface Stock {
  readonly orgId: string;
  readonly databaseUrl: string;
  /** Signing secrets, by receiver. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly gatewayUsers: readonly string[];
  /** The output of `audit verify`. */
  readonly audit: { readonly code: number; readonly said: string };
  /** The tickets on the platforms; `key` is the id of our ticket. */
  readonly tickets: readonly { readonly platform: string; readonly name: string; readonly key: string }[];
  /** The calls that the provider received. */
  readonly provided: readonly ProvidedCall[];
  /** Background work that was not finished in time. */
  readonly left: readonly string[];
  readonly usage: readonly Record<string, unknown>[];
  readonly breakdown: Record<string, unknown>;
  readonly budgets: readonly Record<string, unknown>[];
  readonly overview: Record<string, unknown>;
}

/** A call from the provider's view. */
export interface ProvidedCall {
  readonly call: string;
  readonly status: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly sentTokens: number;
  readonly usageSent: boolean;
  readonly outcome: string;
}

/** The budget errors found in the database at one time of the campaign. Each error is one sentence. */
export interface Look {
  readonly over: string | null;
  readonly held: string | null;
}

/** All data for the rules. */
export interface Evidence {
  readonly stock: Stock;
  /** Operations in the order in which they started. */
  readonly operations: readonly Operation[];
  readonly incidents: readonly Incident[];
  readonly posts: readonly Post[];
  readonly looks: readonly Look[];
  /** Runs a query on the database; $1 is the organization. */
  readonly rows: <Row extends object>(sql: string) => Promise<Row[]>;
}

/** Reads the journals of a folder, and connects to the database that they name. */
export async function openEvidence(folder: string): Promise<{ evidence: Evidence; close: () => Promise<void> }> {
  // The campaign wrote this file itself, so its content is not validated.
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

/** A field of an object in a journal; undefined if it is missing. */
export function field(value: unknown, name: string): unknown {
  return Reflect.get(Object(value ?? {}), name);
}

/** The value of a field, as a text. */
export function text(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : '';
}

/** Operations of one kind. */
export function ofKind({ operations }: Evidence, what: string): Operation[] {
  return operations.filter(operation => operation.what === what);
}
