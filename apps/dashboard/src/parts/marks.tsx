import {
  Ban,
  Check,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleMinus,
  Clock,
  Hand,
  Info,
  OctagonAlert,
  TriangleAlert,
  UserCheck,
  UserX,
  type LucideIcon,
} from 'lucide-react';
import { sentence } from '../data/format.ts';
import { cx } from './cx.ts';

type Look = readonly [icon: LucideIcon, color: string];

/** Each severity, state and action has an icon, a word and a color, so that color is never the only information. */
const LOOKS: Record<string, Look> = {
  critical: [OctagonAlert, 'text-critical'],
  high: [TriangleAlert, 'text-high'],
  medium: [CircleAlert, 'text-medium'],
  low: [Info, 'text-low'],

  open: [CircleDot, 'text-high'],
  acknowledged: [UserCheck, 'text-low'],
  resolved: [CircleCheck, 'text-ok'],

  block: [Ban, 'text-critical'],
  require_approval: [Hand, 'text-high'],
  alert: [TriangleAlert, 'text-medium'],
  allow: [Check, 'text-ok'],

  active: [CircleCheck, 'text-ok'],
  inactive: [CircleMinus, 'text-muted'],
  suspended: [UserX, 'text-critical'],

  pending: [Clock, 'text-medium'],
  approved: [CircleCheck, 'text-ok'],
  denied: [Ban, 'text-critical'],
  expired: [CircleDashed, 'text-muted'],
  revoked: [UserX, 'text-critical'],

  delivered: [CircleCheck, 'text-ok'],
  succeeded: [CircleCheck, 'text-ok'],
  created: [CircleCheck, 'text-ok'],
  rejected: [OctagonAlert, 'text-critical'],
  failed: [OctagonAlert, 'text-critical'],
  uncertain: [TriangleAlert, 'text-high'],
  paused: [CircleMinus, 'text-muted'],
  in_progress: [CircleDot, 'text-low'],
  closed: [CircleMinus, 'text-muted'],
};

const UNKNOWN: Look = [CircleDashed, 'text-muted'];

/** Values that require an action. Only the words of these values are colored. */
const LOUD = new Set(['critical', 'high', 'block', 'failed', 'rejected', 'uncertain']);

interface MarkProps {
  /** A severity, a state or an action of the API. */
  of: string;
  /** A word to show instead of the API's. */
  word?: string;
  /** Color of the word for a value that requires no action here, such as the action of a disabled policy. */
  calm?: boolean;
}

/** A severity, a state or an action as icon and word. The icon is always colored. */
export function Mark({ of, word, calm = false }: MarkProps) {
  const [Icon, color] = LOOKS[of] ?? UNKNOWN;
  const isLoud = LOUD.has(of) && !calm;
  return (
    <span
      className={cx(
        'inline-flex max-w-full items-center gap-1.5 align-bottom whitespace-nowrap',
        isLoud && color,
        isLoud && 'font-medium',
      )}
    >
      <Icon size={14} strokeWidth={2} aria-hidden className={cx('shrink-0', color)} />
      {word === undefined ? sentence(of) : <span className="truncate">{word}</span>}
    </span>
  );
}
