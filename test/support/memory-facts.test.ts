import { factsSuite } from '../infrastructure/facts/facts.suite.js';
import { MemoryFacts } from './memory-facts.js';

factsSuite('the memory of a test', () => {
  const facts = new MemoryFacts();
  return () => facts;
});
