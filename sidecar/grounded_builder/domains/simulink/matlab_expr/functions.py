"""Lists MATLAB constants, functions without side effects, matrix fillers and forbidden names."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONSTANTS = _set("pi inf Inf nan NaN eps i j true false realmax realmin e")

# Functions without side effects.
PURE = _set(
    """
    abs acos acosd acosh acot acsc all and angle any asec asin asind asinh atan atan2 atan2d atand
    atanh besselj bitand bitor bitshift bitxor blkdiag boolean cat ceil cell2mat char circshift
    colon complex conj conv cos cosd cosh cot cross csc ctranspose cumprod cumsum db2mag db2pow
    deal deconv deg2rad det diag diff dot double eig eq erf erfc exp expm expm1 eye factorial
    false fi fix fixdt fliplr flipud floor gamma gcd ge gt hex2dec hilb hypot imag ind2sub
    inf Inf int16 int32 int64 int8 interp1 intmax intmin inv isempty kron lcm le length
    linspace log log10 log1p log2 logical logspace lt mag2db magic max mean median meshgrid min
    minus mldivide mod mpower mrdivide mtimes nan NaN nchoosek ndims ne nextpow2 nnz norm not ones
    or permute pinv plus poly polyfit polyval pow10 pow2 power primes prod rad2deg rank rdivide real
    rem repmat reshape roots rot90 round sec sfix sgn sign sin sinc sind single sinh size sort sqrt
    squeeze std sum tan tand tanh times toeplitz trace transpose tril triu true ufix uint16 uint32
    uint64 uint8 uminus unique vander var vertcat horzcat xor zeros float struct cell
    num2str mat2str str2double strcat upper lower strrep sprintf numel isequal isinf isnan
    numerictype hex2num dec2bin bin2dec filter butter cheby1 cheby2 ellip fir1 fir2 hamming hanning
    hann blackman kaiser chebwin tukeywin bartlett rectwin c2d tf ss zpk lqr dlqr place acker
    getfield string
    """
)

# Names with side effects even without arguments, since a command without arguments is a call.
ACTING = _set(
    """
    system dos unix eval evalc evalin assignin feval builtin run source exit quit restart clear
    clearvars clc close closereq delete rmdir mkdir movefile copyfile cd pwd dir ls what which who
    whos path addpath rmpath genpath savepath load save open edit type fopen fclose fprintf fwrite
    fread fgetl fgets fscanf textscan importdata csvread csvwrite dlmread dlmwrite xlsread xlswrite
    readtable writetable readmatrix writematrix urlread urlwrite webread webwrite websave web ftp
    sendmail tcpclient tcpip udp serial javaMethod javaObject javaaddpath java py pyrun pyrunfile
    pyenv perl python mex loadlibrary calllib libfunctions dlopen actxserver keyboard input pause
    beep dbstop dbcont dbquit dbclear diary echo more format rehash startup finish matlabrc
    userpath publish profile timer start stop batch parpool parfeval spmd sim set_param add_block
    delete_block add_line delete_line new_system open_system close_system save_system load_system
    bdclose gcs gcb simulink setenv getenv computer license ver version memory winopen winqueryreg
    inputdlg msgbox questdlg uigetfile uiputfile figure plot axes uicontrol print saveas export
    drawnow shutdown reset rng tic toc cputime clock now datetime date rand randn randi randperm
    inmem mlock munlock onCleanup error warning rethrow throw lasterr lasterror try catch global
    persistent function return break continue while for if else elseif end switch case otherwise
    parfor classdef nargin nargout varargin inputname exist isvarname func2str str2func cellfun
    arrayfun structfun bsxfun accumarray evals unzip zip untar tar gunzip gzip
    unix2dos cmd powershell
    Simulink slsim coder parallel systemcomposer slreportgen sltest slcoverage instrument
    slroot sfroot sfclipboard checkcode matlab doc help lookfor demo open_bd uiopen uisave
    getReport
    """
)

MOST_ELEMENTS = 100_000
# Pure functions whose number of elements is the product of their arguments.
FILLING = _set(
    "zeros ones eye nan NaN inf Inf true false repmat cell magic hilb vander linspace logspace"
)
