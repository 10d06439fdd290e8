import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { DecisionLog, DecisionService, ReleaseService } from '#policy';
import { UsageIngestion } from '#usage';
import { AuthzenMetadataController } from './authzen/authzen-metadata.controller.js';
import { AuthzenController } from './authzen/authzen.controller.js';
import { EvaluationService } from './authzen/evaluation.service.js';
import { ClaudeCodeController } from './claude-code/claude-code.controller.js';
import { HookService } from './claude-code/hook.service.js';
import { GuardrailService } from './litellm/guardrail.service.js';
import { LitellmController } from './litellm/litellm.controller.js';
import { LogSink } from './litellm/log-sink.service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { TelemetrySink } from './otlp/telemetry-sink.service.js';

/** Protocols with which existing tools for LLMs request decisions and report usage. */
@Module({})
export class IntegrationsModule {
  static readonly library: Library = {
    name: 'integrations',
    providers: [EvaluationService, GuardrailService, HookService, LogSink, TelemetrySink],
    requires: [DecisionService, DecisionLog, ReleaseService, UsageIngestion],
    controllers: [
      AuthzenController,
      AuthzenMetadataController,
      ClaudeCodeController,
      LitellmController,
      OtlpController,
    ],
    entities: [],
    migrations: [],
    exports: [],
  };
}
