import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { jest } from '@jest/globals';
import { OrgDatabase } from '#database';
import type { TestApp } from './test-app.js';

/** A node of a plan in the output of EXPLAIN (FORMAT JSON). */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  /** The number of executions, if the plan was executed. */
  'Actual Loops'?: number;
  /** Rows per execution. */
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** An SQL statement of the product, and its plan in PostgreSQL. */
export interface Explained {
  sql: string;
  plan: PlanNode;
}

/**
 * Runs work with an app and has PostgreSQL explain every SQL statement of that work. Each statement is explained within
 * its own transaction, with the same role, organization, settings and parameters. Statements of the ORM itself are left
 * out. With `analyze`, statements run twice, so the work must not write.
 */
export async function explaining(
  app: TestApp,
  work: () => Promise<unknown>,
  { analyze = false }: { analyze?: boolean } = {},
): Promise<Explained[]> {
  const database = app.app.get(OrgDatabase, { strict: false });
  const found: Explained[] = [];
  const explain = `explain (format json${analyze ? ', analyze' : ''})`;
  const spies = (['transaction', 'snapshot'] as const).map(kind => {
    const run = database[kind].bind(database);
    return jest
      .spyOn(database, kind)
      .mockImplementation((orgId, act) => run(orgId, em => act(listenedTo(em, found, explain)) as Promise<never>));
  });
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return found;
}

/** All nodes of a plan, including its root. */
export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/**
 * The number of rows that the plan read from tables, including rows that a filter dropped. The plan must have been
 * executed.
 */
export function rowsRead(plan: PlanNode): number {
  return nodesOf(plan)
    .filter(node => node['Relation Name'] !== undefined)
    .map(node => ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1))
    .reduce((sum, rows) => sum + rows, 0);
}

/** The same EntityManager, which belongs to one transaction. Raw SQL uses its Kysely instance. */
function listenedTo(em: EntityManager, found: Explained[], explain: string): EntityManager {
  const kysely = em.getKysely();
  const executeQuery = async (query: CompiledQuery): Promise<unknown> => {
    if (!/^\s*explain/i.test(query.sql)) found.push(await planOf(query));
    return kysely.executeQuery(query);
  };
  async function planOf({ sql, parameters }: CompiledQuery): Promise<Explained> {
    const asked = CompiledQuery.raw(`${explain} ${sql}`, [...parameters]);
    const { rows } = await kysely.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(asked);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error(`PostgreSQL explained nothing of ${sql}`);
    return { sql, plan };
  }
  return Object.assign(em, { getKysely: () => ({ executeQuery }) });
}
