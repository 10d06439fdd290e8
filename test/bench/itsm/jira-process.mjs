// A slow Jira in a separate process that drops some answers.
import '../../support/typescript.mjs';
import { answerTo } from '../webhooks/support/answer-to.mjs';

const { stormyJira } = await import('../../support/itsm/stormy-jira.ts');
answerTo(stormyJira());
