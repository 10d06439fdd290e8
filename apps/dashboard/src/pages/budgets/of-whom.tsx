import type { Budget } from './standing.ts';

type Target = Pick<Budget, 'scope' | 'department' | 'user_id' | 'model'>;

/** Whose spending, or on what, a budget limits. */
export function OfWhom({ of: { scope, department, model } }: { of: Target }) {
  if (scope === 'department') return <bdi>{department}</bdi>;
  if (scope === 'model') return <bdi className="font-mono text-small">{model}</bdi>;
  return <span className="text-muted">{scope === 'user' ? 'one person' : 'everybody'}</span>;
}
