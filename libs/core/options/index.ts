export { optionFaults, required, section, type OptionRule, type OptionRules, type RulesOf } from './option-rule.js';
export {
  choice,
  flag,
  instance,
  isText,
  isTextList,
  list,
  readable,
  record,
  rule,
  share,
  text,
  webAddress,
  whole,
} from './rules.js';
