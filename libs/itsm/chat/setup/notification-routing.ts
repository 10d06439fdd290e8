import type { Severity } from '#core';

/** Subjects of notifications. */
export const NOTICE_SUBJECTS = ['incident', 'approval'] as const;

/** One of them. */
export type NoticeSubject = (typeof NOTICE_SUBJECTS)[number];

/** Which notifications a workspace gets, and in which channel. A missing entry means no notifications of that kind. */
export interface Notifications {
  readonly incidents?: {
    /** Missing if the platform needs none. */
    readonly channel?: string;
    /** Only incidents of this severity or higher. Missing: all. */
    readonly min_severity?: Severity;
  };
  readonly approvals?: { readonly channel?: string };
}

/** Notifications as stored. A type alias, because TypeScript accepts no interface as JSON. */
export type StoredNotifications = {
  incidents?: { channel?: string; min_severity?: Severity };
  approvals?: { channel?: string };
};

/** Returns the settings without undefined fields. */
export function storedNotifications({ incidents, approvals }: Notifications): StoredNotifications {
  return {
    ...(incidents && {
      incidents: {
        ...(incidents.channel !== undefined && { channel: incidents.channel }),
        ...(incidents.min_severity !== undefined && { min_severity: incidents.min_severity }),
      },
    }),
    ...(approvals && { approvals: { ...(approvals.channel !== undefined && { channel: approvals.channel }) } }),
  };
}
