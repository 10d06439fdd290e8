// A slow Jira in a separate process that drops some answers.
import '../../support/typescript.mjs';
import { answerTo } from '../webhooks/support/answer-to.mjs';

const { unreliableJira } = await import('../../support/itsm/unreliable-jira.ts');
answerTo(unreliableJira());
