import { ANSWER_RULES } from './answers.js';
import { BUDGET_RULES } from './budgets.js';
import { DECISION_RULES } from './decisions.js';
import { DELIVERY_RULES } from './deliveries.js';
import { openEvidence } from './evidence.js';
import { GATEWAY_RULES } from './gateway.js';
import { REPORT_RULES } from './reports.js';
import type { Result } from './rule.js';
import { TICKET_RULES } from './tickets.js';
import { USAGE_RULES } from './usage.js';

const RULES = [
  ...[USAGE_RULES, BUDGET_RULES, DECISION_RULES, GATEWAY_RULES],
  ...[DELIVERY_RULES, TICKET_RULES, REPORT_RULES, ANSWER_RULES],
].flat();

/** Compares the journals of a folder with the database, by every rule. */
export async function checkAll(folder: string): Promise<Result[]> {
  const { evidence, close } = await openEvidence(folder);
  try {
    const results: Result[] = [];
    for (const rule of RULES) results.push({ name: rule.name, ...(await rule.check(evidence)) });
    return results;
  } finally {
    await close();
  }
}
