import type { Actor, Scope } from '#access';

/** The result of a command: a text for the author. It is sent at once, or after a ticket was created or refused. */
export interface ChatAnswer {
  readonly text: string;
  /** The ticket whose outcome the answer will report later. */
  readonly ticketId?: string;
}

/**
 * The answer while the organization is suspended. Its status is not an error, because chat platforms hide the message
 * of an error.
 */
export const SUSPENDED = 'This organization is suspended by the operator of the service, so no command runs.';

/** The command is invalid. The message is for the author. */
export class ChatMistake extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChatMistake';
  }
}

/** Checks the scopes of the actor. @throws ChatMistake if the actor lacks a scope */
export function needs(actor: Actor, scope: Scope): void {
  if (!actor.scopes.has(scope)) throw new ChatMistake('Your account lacks the permission; ask an administrator.');
}

/** The name of the command: `/service-alerts` for a service named Service. */
export function commandName(serviceName: string): string {
  return `/${serviceName.trim().toLowerCase().replaceAll(/\s+/g, '-')}-alerts`;
}

/** Help text of the command. */
export function helpText(command: string): string {
  return [
    'Commands:',
    `${command} list: list unresolved incidents, the newest first`,
    `${command} show <id>: show an incident and its tickets`,
    `${command} ack <id>: acknowledge an incident`,
    `${command} ticket <id> [connector]: open a ticket for an incident`,
    `${command} approve <id>, ${command} deny <id>: decide a request for approval`,
    `${command} help: this`,
    'You can shorten an id to the prefix that list shows.',
  ].join('\n');
}
