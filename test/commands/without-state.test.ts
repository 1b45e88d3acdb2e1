import { MemoryFacts } from '../support/memory-facts.js';
import { withoutStateSuite } from './without-state.suite.js';

withoutStateSuite('the memory of a test', () => {
  const facts = new MemoryFacts();
  return () => facts;
});
