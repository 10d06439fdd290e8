import type { Severity } from '#core';

/** Subjects of notifications. */
export const NOTICE_SUBJECTS = ['incident', 'approval'] as const;

/** One of them. */
export type NoticeSubject = (typeof NOTICE_SUBJECTS)[number];

/** Which notifications a workspace gets, and in which channel. Without an entry: none of its kind. */
export interface Notifications {
  readonly incidents?: {
    /** Missing if the platform needs none. */
    readonly channel?: string;
    /** Only incidents of this severity or a worse one. Missing: all. */
    readonly min_severity?: Severity;
  };
  readonly approvals?: { readonly channel?: string };
}

/** Notifications as they are stored. A type, so that it is JSON to the compiler. */
export type StoredNotifications = {
  incidents?: { channel?: string; min_severity?: Severity };
  approvals?: { channel?: string };
};

/** The same without fields that are not set. */
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
