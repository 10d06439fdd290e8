/** The result of a command: a text for the author, sent at once or after a ticket was created or refused. */
export interface ChatAnswer {
  readonly text: string;
  /** The ticket whose outcome will be reported later. */
  readonly ticketId?: string;
}

/** The command is invalid. The message is for the author. */
export class ChatMistake extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChatMistake';
  }
}

/** The name of the command: `/service-alerts` for a service that is called Service. */
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
    `${command} help: this`,
    'You can shorten an id to the prefix that list shows.',
  ].join('\n');
}
