// A slow Jira that loses answers, in a process of its own.
import '../../support/typescript.mjs';
import { answerTo } from '../webhooks/support/answer-to.mjs';

const { stormyJira } = await import('../../support/itsm/stormy-jira.ts');
answerTo(stormyJira());
