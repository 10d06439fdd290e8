/** What comes of a command: a text for whoever typed it, at once or once a ticket has been created or refused. */
export interface ChatAnswer {
  readonly text: string;
  /** The ticket of which there will be more to say. */
  readonly ticketId?: string;
}

/** The command cannot be carried out as it was typed. The message is for whoever typed it. */
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

/** What the command can do. */
export function helpText(command: string): string {
  return [
    'What you can type:',
    `${command} list: the incidents that are not resolved, the newest first`,
    `${command} show <id>: one of them, with its tickets`,
    `${command} ack <id>: say that you are looking at it`,
    `${command} ticket <id> [connector]: open a ticket for it`,
    `${command} help: this`,
    'Instead of an id, its beginning will do, as list shows it.',
  ].join('\n');
}
