import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '../../data/call.ts';
import { sentence, words } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi, useList, type ItemOf } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { TOUCHED } from './policy-actions.tsx';
import { TrySimulation } from './simulation.tsx';

type Policy = AnswerOf<'getPolicy'>;
type Version = ItemOf<'listPolicyVersions'>;

/** The versions of a policy, newest first. */
function useVersions(id: string) {
  return useList('listPolicyVersions', { id, limit: 20 });
}

/** When a policy was last changed, and by whom. */
export function LastChange({ policy: { id, version, updated_at } }: { policy: Policy }) {
  const [newest] = useVersions(id).items;
  return (
    <>
      <Ago at={updated_at} />
      {newest?.version === version && (
        <>
          {' '}
          by <bdi>{newest.changed_by.name}</bdi>
        </>
      )}
    </>
  );
}

/** Version history of the policy, newest first, with an action to restore a version. */
export function PolicyHistory({ policy }: { policy: Policy }) {
  const list = useVersions(policy.id);
  const [opened, setOpened] = useState<number>();
  const switches = switchesOf(policy, list.items);
  return (
    <Section title="History" list={list}>
      {list.isPending && <Skeleton lines={3} />}
      {list.error && <Failure error={list.error} onRetry={list.retry} />}
      <ol>
        {list.items.map(version => (
          <li key={version.version} className="border-b border-line">
            <Entry
              version={version}
              switched={switches.get(version.version)}
              isOpen={opened === version.version}
              onToggle={() => setOpened(opened === version.version ? undefined : version.version)}
            />
            {opened === version.version && <Details policy={policy} version={version} />}
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button small busy={list.isLoadingMore} onClick={list.more} className="mt-2 self-start">
          Show earlier changes
        </Button>
      )}
    </Section>
  );
}

/**
 * Versions that only enabled or disabled the policy. An entry does not say which of the two. Therefore, the state of
 * each version is derived from the current state, from the newest version backwards. If the list and the policy were
 * not read at the same moment, returns none.
 */
function switchesOf(policy: Policy, versions: readonly Version[]): Map<number, 'Enabled' | 'Disabled'> {
  const switches = new Map<number, 'Enabled' | 'Disabled'>();
  if (versions[0]?.version !== policy.version) return switches;
  let isEnabled = policy.enabled;
  for (const { version, change, changed_fields } of versions) {
    if (!changed_fields.includes('enabled')) continue;
    if (change === 'updated' && changed_fields.length === 1) switches.set(version, isEnabled ? 'Enabled' : 'Disabled');
    isEnabled = !isEnabled;
  }
  return switches;
}

interface EntryProps {
  version: Version;
  /** Set only for a version that changed nothing else. */
  switched: 'Enabled' | 'Disabled' | undefined;
  isOpen: boolean;
  onToggle: () => void;
}

function Entry({ version, switched, isOpen, onToggle }: EntryProps) {
  const Icon = isOpen ? ChevronDown : ChevronRight;
  const { change, changed_fields, restored_version, changed_by, changed_at } = version;
  const what = switched === undefined ? changed_fields.map(words).join(', ') : '';
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-h-9 w-full items-center gap-2 py-1 text-left hover:bg-sunken"
    >
      <Icon size={14} aria-hidden className="shrink-0 text-muted" />
      <span className="w-6 shrink-0 text-muted tabular-nums">{version.version}</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate">
          {switched ?? sentence(change)}
          {restored_version !== null && ` from version ${restored_version}`}
          {what !== '' && <span className="text-muted"> · {what}</span>}
        </span>
      </span>
      <bdi className="max-w-32 truncate text-muted max-sm:hidden">{changed_by.name}</bdi>
      <Ago at={changed_at} />
    </button>
  );
}

function Details({ policy, version }: { policy: Policy; version: Version }) {
  const diff = useApi('getPolicyDiff', { id: policy.id, version: version.version });
  const mayWrite = useMay('policies:write');
  const [isAsking, setAsking] = useState(false);
  const { data } = diff;
  return (
    <div className="flex flex-col gap-2 pb-3 pl-5">
      <p className="text-small text-muted">
        By <bdi>{version.changed_by.name}</bdi>, <Time at={version.changed_at} />
      </p>
      {diff.isPending && <Skeleton lines={2} />}
      {diff.error && <Failure error={diff.error} onRetry={() => void diff.refetch()} />}
      {data && <Differences changes={data.changes} isFirst={data.against === null} />}
      {mayWrite && version.version !== policy.version && version.change !== 'deleted' && (
        <Button small className="self-start" onClick={() => setAsking(true)}>
          Restore version {version.version}…
        </Button>
      )}
      {isAsking && <Restore policy={policy} version={version.version} onClose={() => setAsking(false)} />}
    </div>
  );
}

type Change = AnswerOf<'getPolicyDiff'>['changes'][number];

function Differences({ changes, isFirst }: { changes: readonly Change[]; isFirst: boolean }) {
  if (changes.length === 0) return <p className="text-muted">No differences from the previous version.</p>;
  return (
    <table aria-label="Differences" className="w-full table-fixed border-collapse text-small">
      <thead>
        <tr className="border-b border-line text-left text-muted">
          <th scope="col" className="label w-1/4 py-1">
            Field
          </th>
          {!isFirst && (
            <th scope="col" className="label py-1">
              Before
            </th>
          )}
          <th scope="col" className="label py-1">
            {isFirst ? 'Written' : 'After'}
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(change => (
          <tr key={change.path} className="align-top">
            <td className="py-1 pr-2 break-words text-muted">{placeOf(change.path)}</td>
            {!isFirst && (
              <td className="py-1 pr-2">
                <Value of={change} side="before" />
              </td>
            )}
            <td className="py-1">
              <Value of={change} side="after" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ of, side }: { of: Change; side: 'before' | 'after' }) {
  if (!Object.hasOwn(of, side)) return <span className="text-muted">–</span>;
  const value = of[side];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === '' || value === null || value === undefined) return <span className="text-muted">None</span>;
  const Element = side === 'before' ? 'del' : 'ins';
  return (
    <Element
      className={
        side === 'before'
          ? 'bg-critical-wash px-1 break-words no-underline decoration-critical line-through'
          : 'bg-wash px-1 break-words no-underline'
      }
    >
      <bdi className={typeof value === 'string' ? undefined : 'font-mono'}>{text}</bdi>
    </Element>
  );
}

/** A JSON pointer in words: `/conditions/department/in` is `conditions › department › in`. */
function placeOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~')).join(' › ') || 'everything';
}

interface RestoreProps {
  policy: Policy;
  version: number;
  onClose: () => void;
}

function Restore({ policy: { id, name }, version, onClose }: RestoreProps) {
  const then = useApi('getPolicyVersion', { id, version });
  const restore = useAction('restorePolicy', [...TOUCHED, 'getPolicyDiff'], ({ version }) => {
    say(`Policy “${name}” restored`, `The new version is ${version}.`);
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Restore version ${version} of “${name}”?`}
      wide
      act="Restore"
      busy={restore.isPending}
      error={restore.error}
      onAct={() => restore.mutate({ id, body: { version } })}
    >
      <p>
        The policy gets the content of this version
        {then.data && `, ${then.data.content.enabled ? 'enabled' : 'disabled'}`}, as a new version. All versions are
        kept.
      </p>
      {then.data && (
        <TrySimulation
          title="Simulation"
          draft={() => ({ policy: then.data.content, policy_id: id })}
          stands={String(version)}
        />
      )}
    </Ask>
  );
}
