import { Caller, type Surroundings } from './caller.js';

const PAGES = [
  '/v1/usage?period=daily&limit=100',
  '/v1/usage/breakdown?group_by=model&period=daily',
  '/v1/budgets',
  '/v1/overview',
  '/v1/incidents?limit=20',
  '/v1/itsm/tickets?limit=20',
  '/v1/users?limit=50',
];

/** Reads reports and lists, as the dashboard does. */
export async function read(surroundings: Surroundings, seed: number): Promise<void> {
  const caller = new Caller(surroundings, seed);
  while (!caller.isOver) {
    await caller.pause(700);
    await caller.send({ what: 'read', method: 'GET', path: caller.pick(PAGES), keep: () => ({}) });
  }
}
