import { keptRouting, type KeptRouting, type Routing } from '../../decide/routing.js';

/** Subjects of notifications. */
export const NOTICE_SUBJECTS = ['incident', 'approval'] as const;

/** One of them. */
export type NoticeSubject = (typeof NOTICE_SUBJECTS)[number];

/** Channel of notifications. Missing if the platform needs none. */
interface Addressed {
  readonly channel?: string;
}

/** Which notifications a workspace gets, and in which channel. A missing entry means no notifications of that kind. */
export interface Notifications {
  readonly incidents?: Addressed & Routing;
  /** Routing of approval requests. It has no severities, because approval requests have none. */
  readonly approvals?: Addressed & Omit<Routing, 'min_severity'>;
}

/**
 * Notification settings as they are stored. This is a type alias, because TypeScript does not accept an interface as
 * JSON.
 */
export type StoredNotifications = {
  incidents?: { channel?: string } & KeptRouting;
  approvals?: { channel?: string } & Omit<KeptRouting, 'min_severity'>;
};

/** Returns the settings without undefined fields. */
export function storedNotifications({ incidents, approvals }: Notifications): StoredNotifications {
  return { ...(incidents && { incidents: stored(incidents) }), ...(approvals && { approvals: stored(approvals) }) };
}

function stored({ channel, ...routing }: Addressed & Routing): { channel?: string } & KeptRouting {
  return { ...(channel !== undefined && { channel }), ...keptRouting(routing) };
}
