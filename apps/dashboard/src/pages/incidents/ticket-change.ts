import type { AnswerOf } from '../../data/call.ts';

/** What a change of a ticket is called, by its kind: made, and not made. */
const HEADS = new Map([
  ['comment', ['Occurrences added to the ticket', 'Occurrences not added to the ticket']],
  ['priority', ['Priority of the ticket raised', 'Priority of the ticket not raised']],
  ['resolve', ['Ticket resolved', 'Ticket not resolved']],
  ['reopen', ['Ticket reopened', 'Ticket not reopened']],
]);

/** What people can do on the platform after a change that the service does not repeat. */
const REMEDIES = new Map([
  ['comment', 'The next comment names all occurrences.'],
  ['priority', 'Raise the priority there if it matters.'],
  ['resolve', 'Resolve the ticket there.'],
  ['reopen', 'Reopen the ticket there if it must go on.'],
]);

/** A change of a ticket in words. @param result undefined in entries of version 0.1.0, which have only the error */
export function changeHead(kind: string, result: unknown, error: unknown): string {
  const [made = 'Ticket changed', failed = 'Ticket not changed'] = HEADS.get(kind) ?? [];
  if (result === 'unanswered') return 'Occurrences may be missing in the ticket';
  if (result === 'retrying') return `${failed} yet`;
  return result === 'made' || (typeof result !== 'string' && typeof error !== 'string') ? made : failed;
}

/** The last change of a ticket if it is missing: it was not made, and people have not made it on the platform since. */
export function missingChange({
  change_kind: kind,
  change_result: result,
  status,
}: Pick<AnswerOf<'getTicket'>, 'change_kind' | 'change_result' | 'status'>): { kind: string; result: string } | null {
  if (kind === null || result === null || result === 'made') return null;
  const isOver = status === 'resolved' || status === 'closed';
  if ((kind === 'resolve' && isOver) || (kind === 'reopen' && !isOver)) return null;
  return { kind, result };
}

/** What the operator can do about a change that was not made. */
export function changeRemedy(kind: string, result: string, platform: string): string {
  const remedy = REMEDIES.get(kind) ?? '';
  switch (result) {
    case 'retrying':
      return 'Nothing: the service tries again. If the connector has a problem, fix it.';
    case 'hidden':
      return `Let the account of the connector see the ticket in ${platform}. The service looks once a day, for 30 days.`;
    case 'unanswered':
      return `Look for the text in ${platform}. ${remedy}`;
    case 'kept':
      return `Nothing: people decided so in ${platform}.`;
    default:
      return `The service does not repeat it. ${remedy}`;
  }
}
