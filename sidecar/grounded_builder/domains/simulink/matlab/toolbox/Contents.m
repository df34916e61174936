% Grounded Builder: models that are compiled against what is installed here.
% Version 0.1.0 (R2019b) 22-Nov-2026
%
% Connection
%   grounded.connect  - Set the address of the sidecar and the token for it.
%   grounded.sync     - Send the installed blocks to the sidecar, and compile for them from now on.
%
% Models
%   grounded.build    - Draft and compile a model, and build it in this MATLAB.
%   grounded.validate - Report errors in a model before Simulink opens or runs it.
%   grounded.find     - Find blocks for a purpose in the catalog of the environment.
%   grounded.open     - Open the .slx file of a job in this MATLAB, and report the result to the sidecar.
%
% Workers
%   grounded.work       - Take jobs for this environment from the sidecar, build them, and report the results.
%   grounded.run_script - Run a build script of the sidecar and return its report; never raises an error.
%   grounded.ask        - Send a request to the sidecar and return its answer.
%
% Tests
%   grounded_tests    - Run the tests of this toolbox against the connected sidecar.
