import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import { AuthzenController } from './authzen/authzen.controller.js';
import { EvaluationService } from './authzen/evaluation.service.js';

/** Protocols that tools around LLMs speak already: they ask for decisions and report usage by them. */
@Module({})
export class IntegrationsModule {
  static readonly library: Library = {
    name: 'integrations',
    providers: [EvaluationService],
    requires: [DecisionService, UsageIngestion],
    controllers: [AuthzenController],
    entities: [],
    migrations: [],
    exports: [],
  };
}
