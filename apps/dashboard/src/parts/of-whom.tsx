import { Fragment } from 'react';
import type { ItemOf } from '../data/use-api.ts';

type Target = Pick<
  ItemOf<'listBudgets'> | ItemOf<'listLimits'>,
  'scope' | 'department' | 'user_id' | 'model' | 'split_by'
>;

/** The scope of a budget or limit in words: whose spending or requests it covers, and for what. */
export function OfWhom({ of }: { of: Target }) {
  if (!of.split_by) return <Scope of={of} />;
  if (of.scope === 'organization') return <>Each {of.split_by}</>;
  return (
    <>
      <span className="text-muted">Each {of.split_by}, </span>
      <Scope of={of} />
    </>
  );
}

function Scope({ of: { scope, department, model } }: { of: Target }) {
  if (typeof scope !== 'string')
    return Object.entries(scope).map(([field, value], at) => (
      <Fragment key={field}>
        {at > 0 && <span className="text-muted"> and </span>}
        <span className="text-muted">{field}</span> <bdi>{value}</bdi>
      </Fragment>
    ));
  if (scope === 'department') return <bdi>{department}</bdi>;
  if (scope === 'model') return <bdi className="font-mono text-small">{model}</bdi>;
  return scope === 'user' ? 'One user' : 'Whole organization';
}
