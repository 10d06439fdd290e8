import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { DecisionLog, DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import { AuthzenController } from './authzen/authzen.controller.js';
import { EvaluationService } from './authzen/evaluation.service.js';
import { GuardrailService } from './litellm/guardrail.service.js';
import { LitellmController } from './litellm/litellm.controller.js';
import { LogSink } from './litellm/log-sink.service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { TraceSink } from './otlp/trace-sink.service.js';

/** Protocols that tools around LLMs speak already: they ask for decisions and report usage by them. */
@Module({})
export class IntegrationsModule {
  static readonly library: Library = {
    name: 'integrations',
    providers: [EvaluationService, GuardrailService, LogSink, TraceSink],
    requires: [DecisionService, DecisionLog, UsageIngestion],
    controllers: [AuthzenController, LitellmController, OtlpController],
    entities: [],
    migrations: [],
    exports: [],
  };
}
