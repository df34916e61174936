% Grounded Builder: models that are compiled against what is installed here.
% Version 0.1.0 (R2019b) 22-Nov-2026
%
% Begin
%   grounded.connect  - Say where the sidecar is, and with which token to ask it.
%   grounded.sync     - Tell the sidecar what is installed here, and compile for it from now on.
%
% Models
%   grounded.build    - Have a model drafted and compiled, and build it in this MATLAB.
%   grounded.validate - What is wrong with a model, before Simulink opens or runs it.
%   grounded.find     - Blocks for a purpose, as the catalog of the environment has them.
%   grounded.open     - Open the native .slx of a job here, and tell the sidecar whether that works.
%
% Workers
%   grounded.work       - Build what is asked for: take jobs of this environment, and report each.
%   grounded.run_script - Run a build script that the sidecar made; whatever happens is a report.
%   grounded.ask        - One question to the sidecar; an answer that is no success is an error here.
%
% Tests
%   grounded_tests    - Run the tests of this toolbox against the sidecar that is connected.
