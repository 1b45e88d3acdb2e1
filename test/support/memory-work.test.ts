import { workSuite } from '../infrastructure/work/work.suite.js';
import { MemoryWork } from './memory-work.js';

workSuite('the memory of a test', () => {
  const work = new MemoryWork();
  return () => work;
});
