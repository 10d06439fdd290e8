import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Actor } from '#access';
import { GovernanceError, messageOf } from '#core';
import { ITSM_OPTIONS, type ItsmOptions } from '../../itsm.options.js';
import { ApprovalCommands } from './approval-commands.js';
import { ChatMistake, commandName, helpText, type ChatAnswer } from './chat-answer.js';
import { ChatSessions, type ChatAccount } from './chat-session.js';
import { IncidentCommands } from './incident-commands.js';
import { word } from './incident-text.js';

const INTERNAL_ERROR = 'An internal error occurred; try again later.';

/** Runs a command. Converts errors to answers. Running a command again has no second effect. */
@Injectable()
export class CommandRunner {
  private readonly logger = new Logger('Governance');
  /** Name of the command, as people type it. */
  readonly command: string;

  constructor(
    private readonly sessions: ChatSessions,
    private readonly incidents: IncidentCommands,
    private readonly approvals: ApprovalCommands,
    @Inject(ITSM_OPTIONS) { serviceName = 'Service' }: ItsmOptions,
  ) {
    this.command = commandName(serviceName);
  }

  /** Runs a command. Never throws. */
  async run(account: ChatAccount, text: string, origin: Pick<Actor, 'address' | 'requestId'>): Promise<ChatAnswer> {
    try {
      const actor = await this.sessions.of(account, origin);
      if (actor === 'unlinked') return { text: this.howToLink(account) };
      if (actor === 'inactive') return { text: 'The user of your account is suspended or inactive.' };
      return await this.carryOut(actor, text);
    } catch (error) {
      if (error instanceof ChatMistake) return { text: error.message };
      if (error instanceof GovernanceError && error.code !== 'unavailable') return { text: error.message };
      this.logger.error(`A chat command failed: ${messageOf(error)}`);
      return { text: INTERNAL_ERROR };
    }
  }

  private async carryOut(actor: Actor, text: string): Promise<ChatAnswer> {
    const [verb = '', id = '', ...rest] = text.trim().split(/\s+/);
    switch (verb.toLowerCase()) {
      case 'list':
        return this.incidents.list(actor);
      case 'show':
        return this.incidents.show(actor, id);
      case 'ack':
        return this.incidents.acknowledge(actor, id);
      case 'ticket':
        return this.incidents.ticket(actor, id, rest.join(' '));
      case 'approve':
      case 'deny':
        return this.approvals.decide(actor, id, verb.toLowerCase() === 'approve' ? 'approve' : 'deny');
      case '':
      case 'help':
        return { text: helpText(this.command) };
      default:
        throw new ChatMistake(`"${word(verb)}" is not a command.\n${helpText(this.command)}`);
    }
  }

  private howToLink({ platform, workspace, account }: ChatAccount): string {
    return [
      'Your account is not linked to a user of your organization.',
      `Ask an administrator to link it with POST /v1/chat/links: platform ${platform}, workspace ${workspace}, ` +
        `account ${account}, and your user_id.`,
    ].join(' ');
  }
}
