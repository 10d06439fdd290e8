import { Fragment } from 'react';
import { count } from '../data/format.ts';
import { ATTRIBUTES, OPERATORS, OWN, takesOf, type Conditions } from '../data/conditions.ts';

/** Maximum number of entries of a list that the text names. */
const NAMED = 5;

/** The display name of an attribute. */
function attributeName(attribute: string): string {
  const known = ATTRIBUTES.find(([id]) => id === attribute);
  return known?.[1] ?? (attribute.startsWith(OWN) ? attribute.slice(OWN.length) : attribute);
}

/** The display name of an operator. */
function operatorName(operator: string, operand?: unknown): string {
  if (operator === 'exists' && operand === false) return 'does not exist';
  return Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator as keyof typeof OPERATORS].name : operator;
}

/** A condition in words: `department is one of Finance or Legal`. */
export function Condition({ attribute, operator, operand }: { attribute: string; operator: string; operand: unknown }) {
  return (
    <>
      <bdi>{attributeName(attribute)}</bdi> <span className="text-muted">{operatorName(operator, operand)}</span>
      {takesOf(operator) !== 'flag' && (
        <>
          {' '}
          <Operand operand={operand} />
        </>
      )}
    </>
  );
}

function Operand({ operand }: { operand: unknown }) {
  const entries: unknown[] = Array.isArray(operand) ? operand : [operand];
  if (entries.length === 0) return <span className="text-muted">nothing</span>;
  return (
    <>
      {entries.slice(0, NAMED).map((entry, at) => (
        // List entries have no id except their index.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={at}>
          {at > 0 && ', '}
          <bdi className="font-medium">{shown(entry)}</bdi>
        </Fragment>
      ))}
      {entries.length > NAMED && <span className="text-muted"> and {count(entries.length - NAMED)} more</span>}
    </>
  );
}

/** A value with which an attribute is compared. Texts have no quotation marks. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value || '“”' : (JSON.stringify(value) ?? 'nothing');
}

/** All conditions in one line. */
export function ConditionLine({ conditions }: { conditions: Conditions }) {
  const all = flat(conditions);
  if (all.length === 0) return <span className="text-muted">All users</span>;
  return all.map(([attribute, operator, operand], at) => (
    <Fragment key={`${attribute} ${operator}`}>
      {at > 0 && <span className="text-muted"> and </span>}
      <Condition attribute={attribute} operator={operator} operand={operand} />
    </Fragment>
  ));
}

/** Conditions as `[attribute, operator, operand]`. */
export function flat(conditions: Conditions): [string, string, unknown][] {
  return Object.entries(conditions).flatMap(([attribute, tests]) =>
    Object.entries(tests).map(([operator, operand]): [string, string, unknown] => [attribute, operator, operand]),
  );
}
