import { randomBytes } from 'node:crypto';
import { slackSignature } from '../../../libs/itsm/chat/slack/slack-signature.js';
import type { Answer, TestApp } from '../test-app.js';
import { giveChatTime } from './chat-time.js';

/** The response URL, to which the app sends later answers. */
export const REPLY_URL = 'https://hooks.slack.com/commands/T024BE7LD/1/x';

/** How a request differs from a plain command. */
export interface SlackOptions {
  secret?: string;
  /** Seconds by which the time of the request is wrong. */
  offBy?: number;
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Sends requests to the app as Slack does for a workspace. */
export class SlackWorkspace {
  readonly secret: string = randomBytes(16).toString('hex');

  constructor(
    private readonly app: TestApp,
    readonly id: string = `T${randomBytes(5).toString('hex').toUpperCase()}`,
  ) {
    giveChatTime(app);
  }

  /** Sends the text that somebody typed after the command. */
  async type(account: string, text: string, options: SlackOptions = {}): Promise<Answer> {
    const { secret = this.secret, offBy = 0, fields = {}, headers = {} } = options;
    const form = new URLSearchParams({
      ...{ command: '/service-alerts', text, team_id: this.id, user_id: account, user_name: 'admin' },
      ...{ trigger_id: randomBytes(8).toString('hex'), response_url: REPLY_URL, channel_id: 'C1', token: 'old' },
      ...fields,
    });
    const timestamp = String(Math.floor(this.app.clock.now().getTime() / 1000) + offBy);
    return this.send(form.toString(), {
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': slackSignature(secret, timestamp, Buffer.from(form.toString())),
      ...headers,
    });
  }

  /** Sends a body unchanged. */
  send(body: string, headers: Record<string, string>): Promise<Answer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.app.as(null)('POST', '/v1/integrations/slack/commands', body, { ...type, ...headers });
  }
}
