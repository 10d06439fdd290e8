import type { InputOf } from '../../data/call.ts';
import type { ItemOf } from '../../data/use-api.ts';
import {
  entriesOf as routingEntriesOf,
  listsInWords,
  orWorse,
  routingOf,
  type Routing,
  type RoutingEntries,
} from './routing-entries.ts';

/** A channel or a workspace of a chat. */
export type Workspace = ItemOf<'listChatWorkspaces'>;

type Notifications = NonNullable<InputOf<'registerChatWorkspace'>['body']['notifications']>;

/** Values of the fields in the form of a chat workspace. */
export interface WorkspaceEntries {
  /** Kind of an adapter that the host added; empty for a built-in platform. */
  platform: string;
  workspace: string;
  signing_secret: string;
  notification_secret: string;
  incidents: boolean;
  incident_channel: string;
  incident_routing: RoutingEntries;
  approvals: boolean;
  approval_channel: string;
  /** The severity of this routing is not used. */
  approval_routing: RoutingEntries;
}

/** What the form asks about a chat platform, in that platform's own terms. */
export interface ChatPlatform {
  name: string;
  /** What a person registers for this platform: a workspace or a channel. */
  workspace: { label: string; hint: string; pattern?: RegExp };
  /** Label and hint of the secret for commands. Missing if the platform cannot send commands. */
  signing?: { label: string; hint: string };
  notification: { label: string; hint: string };
  /** Whether each kind of notification has its own channel. */
  hasChannels: boolean;
  /** Sentence about what this platform does not support. */
  limits?: string;
}

const OTHER: ChatPlatform = {
  name: 'Another chat',
  workspace: { label: 'Workspace', hint: 'The workspace ID on the platform.' },
  signing: { label: 'Signing secret', hint: 'The platform signs its requests with this secret.' },
  notification: { label: 'Notification secret', hint: 'What the adapter of the platform posts messages with.' },
  hasChannels: true,
};

const PLATFORMS: Readonly<Record<string, ChatPlatform>> = {
  slack: {
    name: 'Slack',
    workspace: {
      label: 'Workspace ID',
      hint: 'Begins with T, such as T024BE7LD. It is in the address of Slack in a browser.',
      pattern: /^[TE][A-Z0-9]{5,}$/,
    },
    signing: { label: 'Signing secret', hint: 'Of your Slack app, under Basic Information.' },
    notification: {
      label: 'Bot token',
      hint: 'Bot User OAuth Token, which begins with xoxb-. Needed for notifications only.',
    },
    hasChannels: true,
  },
  teams: {
    name: 'Microsoft Teams',
    workspace: { label: 'Name', hint: 'A name of your choice for the channel, such as Security channel.' },
    notification: {
      label: 'Workflow URL',
      hint: 'The whole URL that Teams shows for the workflow, up to the end of sig=…',
    },
    hasChannels: false,
    limits: 'Cards link to this dashboard, where people decide. Teams sends commands and pressed buttons to bots only.',
  },
};

/** Option for a platform that the host added. */
export const OTHER_CHAT = 'other';

/** The platforms that the form offers. */
export const OFFERED = [
  ...Object.entries(PLATFORMS).map(([kind, { name }]) => [kind, name] as const),
  [OTHER_CHAT, OTHER.name] as const,
];

/** The terms of a platform. Platforms that the host added use general terms. */
export function chatPlatform(kind: string): ChatPlatform {
  return PLATFORMS[kind] ?? (kind === OTHER_CHAT ? OTHER : { ...OTHER, name: kind });
}

/** Initial values of the form. */
export function entriesOf(workspace: Workspace | undefined): WorkspaceEntries {
  const { incidents, approvals } = workspace?.notifications ?? {};
  return {
    ...{ platform: '', workspace: workspace?.workspace ?? '' },
    ...{ signing_secret: '', notification_secret: '' },
    ...{ incidents: incidents !== undefined, incident_channel: incidents?.channel ?? '' },
    incident_routing: routingEntriesOf(incidents),
    ...{ approvals: approvals !== undefined, approval_channel: approvals?.channel ?? '' },
    approval_routing: routingEntriesOf(approvals),
  };
}

/** Converts the form's notifications to the API's format. */
export function notificationsOf(entries: WorkspaceEntries, { hasChannels }: ChatPlatform): Notifications {
  const channel = (text: string): { channel?: string } => (hasChannels ? { channel: text.trim() } : {});
  return {
    ...(entries.incidents && {
      incidents: { ...channel(entries.incident_channel), ...routingOf(entries.incident_routing) },
    }),
    ...(entries.approvals && {
      approvals: {
        ...channel(entries.approval_channel),
        ...routingOf({ ...entries.approval_routing, min_severity: '' }),
      },
    }),
  };
}

/** Describes the notifications of a workspace in words. */
export function inWords({ notifications: { incidents, approvals } }: Workspace): string {
  const at = (channel: string | undefined): string => (channel === undefined ? '' : ` in ${channel}`);
  const parts = [
    ...(incidents ? [`${which('incidents', incidents)}${at(incidents.channel)}`] : []),
    ...(approvals ? [`${which('requests for approval', approvals)}${at(approvals.channel)}`] : []),
  ];
  const text = parts.join('; ');
  return text === '' ? 'No notifications' : text.charAt(0).toUpperCase() + text.slice(1);
}

function which(subject: string, { min_severity: severity, ...lists }: Routing): string {
  const isLimited = severity !== undefined && severity !== 'low';
  const conditions = [...(isLimited ? [orWorse(severity)] : []), ...listsInWords(lists)];
  if (conditions.length > 0) return `${subject}: ${conditions.join(', ')}`;
  return subject === 'incidents' ? 'all incidents' : subject;
}
